import { isoDateOf } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";

/**
 * Reads the National Bank of Kazakhstan's official rates (nationalbank.kz, rss/get_rates.cfm): the
 * tenge, as the `description`, per `quant` units of the currency in the `title`.
 */
export const parseNbk: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "rates");
  const asOf = momentOf(isoDateOf(textAt(document, "date")));
  if (asOf === undefined) {
    throw new ParseError("the layout has changed: date is not as in 01.04.2026");
  }
  return elementsAt(document, "item").map((item) => {
    const base = textAt(item, "title");
    const rate = textAt(item, "description");
    return lineOfUnits(textAt(item, "quant"), { base, quote: "KZT", rate, asOf });
  });
};
