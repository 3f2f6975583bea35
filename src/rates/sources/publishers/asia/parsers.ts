import { parseCsvText } from "../formats/csv-text.ts";
import {
  jsonRows,
  listAt,
  membersOf,
  parseJsonText,
  textOf,
  textsOf,
} from "../formats/json-text.ts";
import { isoDateOf } from "../formats/notation.ts";
import { lineOf, lineOfUnits, required, utf8TextOf } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads the Monetary Authority of Macao's middle rates (amcm.gov.mo, financial_info): the patacas
 * per `unit` units of a currency, which it writes as `100.0`, in the member `usdMean`.
 */
export const parseAmcm: Parse = ([response], momentOf) =>
  jsonRows(response, "data")
    // Listed among the currencies, but a measure of liquidity.
    .filter(({ currency }) => currency !== "LIQ")
    .map(({ currency: base, unit, usdMean: rate, date }) => {
      const asOf = momentOf(date?.replace(/ 00:00:00$/, ""));
      return lineOfUnits(unit?.replace(/\.0$/, ""), { base, quote: "MOP", rate, asOf });
    });

/**
 * Reads Bank Negara Malaysia's rates (api.bnm.gov.my, exchange-rate): the ringgit per `unit` units
 * of a currency, for each the `rate` of a day or, in the archive, for one those of several. The
 * bank writes a number as computers keep it, as in 4.2244000000000002 for 4.2244: it is kept as it
 * is.
 */
export const parseBnm: Parse = ([response], momentOf) => {
  const document = parseJsonText(response);
  const { data } = membersOf(document);
  const rows = "rate" in membersOf(data) ? [data] : listAt(document, "data");
  return rows.flatMap((row) => {
    const { currency_code: base, unit } = textsOf(row);
    return [membersOf(row).rate].flat().flatMap((day) => {
      const rates = membersOf(day);
      const asOf = momentOf(textOf(rates.date));
      return (["middle", "buying", "selling"] as const).flatMap((kind) => {
        const rate = rates[`${kind}_rate`];
        // The SDR is neither bought nor sold.
        if (rate === null) return [];
        return [{ ...lineOfUnits(unit, { base, quote: "MYR", rate: textOf(rate), asOf }), kind }];
      });
    });
  });
};

/** Columns without a rate: currencies that became the euro, and indices. */
const HKMA_CURRENCY = /^[a-z]{3}$/;

/**
 * Reads the Hong Kong Monetary Authority's closing middle rates (api.hkma.gov.hk, er-eeri-daily):
 * the Hong Kong dollars per unit of a currency, a column each, on the day `end_of_day`.
 */
export const parseHkma: Parse = ([response], momentOf) =>
  listAt(parseJsonText(response), "result", "records").flatMap((record) => {
    const { end_of_day: date, ...columns } = membersOf(record);
    const asOf = momentOf(textOf(date));
    return Object.entries(columns).flatMap(([column, value]) => {
      // A currency that has ended, or has no rate yet, is null.
      if (!HKMA_CURRENCY.test(column) || value === null) return [];
      return [lineOf({ base: column.toUpperCase(), quote: "HKD", rate: textOf(value), asOf })];
    });
  });

/**
 * Reads the Reserve Bank of Australia's table F11.1 (rba.gov.au, tables/csv/f11.1-data.csv): the
 * `Units` per Australian dollar of every business day. Its series are described above the table.
 */
export const parseRba: Parse = ([response], momentOf) => {
  if (response === undefined) return [];
  const text = utf8TextOf(response.body);
  const fault = "no line of Units or of Series ID";
  const units = required(/^Units,(.+)$/m.exec(text)?.[1], fault).split(",");
  const header = required(/^Series ID,(.+)$/m.exec(text) ?? undefined, fault);
  const series = header[1]?.split(",") ?? [];
  const table = { ...response, body: Buffer.from(text.slice(header.index)) };
  return parseCsvText(table, ["Series ID", ...series]).flatMap((row) => {
    const asOf = momentOf(isoDateOf(row["Series ID"]));
    return series.flatMap((name, index) => {
      const rate = row[name];
      const quote = units[index];
      // A currency that is not published has an empty field; the trade-weighted index is no rate.
      if (rate === "" || quote === "Index") return [];
      return [lineOf({ base: "AUD", quote, rate, asOf }, name)];
    });
  });
};
