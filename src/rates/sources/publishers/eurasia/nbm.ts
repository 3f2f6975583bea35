import { isoDateOf } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";

/**
 * Reads the National Bank of Moldova's official rates (bnm.md, official_exchange_rates): the lei,
 * with a decimal point, per `Nominal` units of a currency on the `Date`.
 */
export const parseNbm: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "ValCurs");
  const asOf = momentOf(isoDateOf(document.attributes.Date));
  if (asOf === undefined) {
    throw new ParseError("the layout has changed: Date is not as in 06.04.2026");
  }
  return elementsAt(document, "Valute").map((valute) => {
    const base = textAt(valute, "CharCode");
    const rate = textAt(valute, "Value");
    return lineOfUnits(textAt(valute, "Nominal"), { base, quote: "MDL", rate, asOf });
  });
};
