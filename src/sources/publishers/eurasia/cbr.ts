import type { SourceLine } from "../../../rates/rules/rate.ts";
import { quoted } from "../../../shared/text/visible-text.ts";
import { decimalOfComma, isoDateOf } from "../formats/notation.ts";
import { lineOfUnits, placesOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { ParseError, type PublisherResponse, type ToInstant } from "../publisher.ts";

/**
 * Reads the Bank of Russia's official rates (cbr.ru, scripts/XML_daily.asp): the rubles, with a
 * decimal comma, per `Nominal` units of a currency, from the `Date` on.
 */
export function parseCbr(
  [response]: readonly PublisherResponse[],
  momentOf: ToInstant,
): readonly SourceLine[] {
  const document = parseXmlText(response, "ValCurs");
  const date = document.attributes.Date ?? "";
  const asOf = momentOf(isoDateOf(date));
  if (asOf === undefined) {
    throw new ParseError(
      `the layout has changed: the Date ${quoted(date)} is not as in 25.04.2026`,
    );
  }
  return elementsAt(document, "Valute").map((valute) => {
    const base = textAt(valute, "CharCode");
    const what = `the rate of ${quoted(base)} (${quoted(textAt(valute, "Name"))})`;
    const value = textAt(valute, "Value") ?? "";
    const rate = decimalOfComma(value);
    if (rate === undefined) {
      return { reason: `${what}: ${quoted(value)} is not a number with a decimal comma` };
    }
    const places = placesOfUnits(textAt(valute, "Nominal"));
    return lineOfUnits(what, places, { base, quote: "RUB", rate, asOf });
  });
}
