import { withoutMidnight } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";

/** The bank states a gram of gold and silver, but the codes of ISO 4217 mean a troy ounce. */
const GRAMS: ReadonlySet<string | undefined> = new Set(["XAU", "XAG"]);

/**
 * Reads the Central Bank of Armenia's average rates (api.cba.am, ExchangeRatesLatest in SOAP 1.1):
 * the drams per `Amount` units of a currency on the `CurrentDate`.
 */
export const parseCba: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "soap:Envelope");
  const path = ["soap:Body", "ExchangeRatesLatestResponse", "ExchangeRatesLatestResult"];
  const [result] = elementsAt(document, ...path);
  if (result === undefined) {
    throw new ParseError("the layout has changed: no ExchangeRatesLatestResult");
  }
  const asOf = momentOf(withoutMidnight(textAt(result, "CurrentDate")));
  return elementsAt(result, "Rates", "ExchangeRate").flatMap((row) => {
    const base = textAt(row, "ISO");
    if (GRAMS.has(base)) return [];
    const rate = textAt(row, "Rate");
    return [lineOfUnits(textAt(row, "Amount"), { base, quote: "AMD", rate, asOf })];
  });
};
