import { quoted } from "../../shared/text/visible-text.ts";
import { membersOf, parseJsonText, requireList, textOf } from "./json-text.ts";
import type { Answer, SourceLine, ToInstant } from "./publisher.ts";
import { lineOfUnits, placesOfUnits } from "./source-lines.ts";

/**
 * Reads the Czech National Bank's exchange rate fixing (api.cnb.cz, cnbapi/exrates/daily): the
 * korunas per `amount` units of a currency.
 */
export function parseCnb([answer]: readonly Answer[], momentOf: ToInstant): readonly SourceLine[] {
  const { rates } = membersOf(parseJsonText(answer));
  return requireList(rates, "rates").map((entry) => {
    const row = membersOf(entry);
    const base = textOf(row.currencyCode);
    return lineOfUnits(`the rate of ${quoted(base)}`, placesOfUnits(textOf(row.amount)), {
      base,
      quote: "CZK",
      rate: textOf(row.rate),
      asOf: momentOf(textOf(row.validFor) ?? ""),
    });
  });
}
