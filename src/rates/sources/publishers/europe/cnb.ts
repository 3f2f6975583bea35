import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads the Czech National Bank's exchange rate fixing (api.cnb.cz, cnbapi/exrates/daily): the
 * korunas per `amount` units of a currency.
 */
export const parseCnb: Parse = ([response], momentOf) => {
  const { rates } = membersOf(parseJsonText(response));
  return requireList(rates, "rates").map((entry) => {
    const row = membersOf(entry);
    return lineOfUnits(textOf(row.amount), {
      base: textOf(row.currencyCode),
      quote: "CZK",
      rate: textOf(row.rate),
      asOf: momentOf(textOf(row.validFor) ?? ""),
    });
  });
};
