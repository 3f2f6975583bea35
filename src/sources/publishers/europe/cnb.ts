import type { SourceLine } from "../../../rates/rules/rate.ts";
import { quoted } from "../../../shared/text/visible-text.ts";
import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOfUnits, placesOfUnits } from "../formats/source-lines.ts";
import type { PublisherResponse, ToInstant } from "../publisher.ts";

/**
 * Reads the Czech National Bank's exchange rate fixing (api.cnb.cz, cnbapi/exrates/daily): the
 * korunas per `amount` units of a currency.
 */
export function parseCnb(
  [response]: readonly PublisherResponse[],
  momentOf: ToInstant,
): readonly SourceLine[] {
  const { rates } = membersOf(parseJsonText(response));
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
