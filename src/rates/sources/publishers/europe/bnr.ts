import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";

/** The bank states a gram of gold, but the code of ISO 4217 means a troy ounce. */
const GRAM_OF_GOLD = "XAU";

/**
 * Reads the National Bank of Romania's reference rates (curs.bnr.ro, nbrfxrates.xml): the lei per
 * `multiplier` units of a currency, or per unit without one.
 */
export const parseBnr: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "DataSet");
  const quote = textAt(document, "Body", "OrigCurrency");
  if (quote !== "RON") throw new ParseError("the layout has changed: OrigCurrency is not RON");
  return elementsAt(document, "Body", "Cube").flatMap((cube) => {
    const asOf = momentOf(cube.attributes.date ?? "");
    return elementsAt(cube, "Rate")
      .filter(({ attributes }) => attributes.currency !== GRAM_OF_GOLD)
      .map(({ attributes, text: rate }) => {
        const { currency: base, multiplier = "1" } = attributes;
        return lineOfUnits(multiplier, { base, quote, rate, asOf });
      });
  });
};
