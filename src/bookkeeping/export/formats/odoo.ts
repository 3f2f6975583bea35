import { pairName } from "../../../rates/served/rules/symbol.ts";
import type { FormatOptions, RecordFormat } from "../format.ts";
import type { ExportedFigure } from "../store.ts";

/** One request of so many rates takes Odoo seconds, and no more memory than a form of its own. */
const ROWS_PER_BODY = 1000;

/**
 * Bodies for the method `load` of Odoo's model res.currency.rate, one on each line: of one pair,
 * with at most 1000 rates. The external id makes a second load update the rate. A figure whose base
 * is the company's currency is a `company_rate`; one whose quote it is, an `inverse_company_rate`.
 *
 * Defined by its code: odoo/odoo, odoo/addons/base/models/res_currency.py at 00cf3e0163a0 (fields),
 * addons/rpc/controllers/json2.py at 09df5d19ed06 (POST /json/2/MODEL/METHOD, from Odoo 19 on).
 */
export const odoo: RecordFormat = {
  order: "by pair",
  limit: {
    includes: ({ base, quote }, { companyCurrency }) =>
      base.length === 3 &&
      quote.length === 3 &&
      (base === companyCurrency || quote === companyCurrency),
    rule: "Odoo has rates of the company's currency, and symbols of 3 characters",
  },
  begin(options) {
    let rows: ExportedFigure[] = [];
    const takeBody = () => {
      const body = rows.length === 0 ? "" : `${writeBody(rows, options)}\n`;
      rows = [];
      return body;
    };
    return {
      head: "",
      textOf(page) {
        let text = "";
        for (const figure of page) {
          const [last] = rows;
          const isNext = last !== undefined && pairName(last) !== pairName(figure);
          if (isNext || rows.length === ROWS_PER_BODY) text += takeBody();
          rows.push(figure);
        }
        return text;
      },
      end: takeBody,
    };
  },
};

function writeBody(rows: readonly ExportedFigure[], { companyCurrency }: FormatOptions): string {
  const isOfCompany = rows[0]?.base === companyCurrency;
  const field = isOfCompany ? "company_rate" : "inverse_company_rate";
  const data = rows.map(({ base, quote, date, rate }) => {
    const id = `kurs_${base}_${quote}_${date}`.toLowerCase().replaceAll("-", "_");
    return [id, date, isOfCompany ? quote : base, rate];
  });
  return JSON.stringify({ fields: ["id", "name", "currency_id", field], data });
}
