import { isoDateOf } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";

/** Of foreign exchange; those of banknotes are further from the market. */
const KINDS = [
  ["ForexBuying", "buying"],
  ["ForexSelling", "selling"],
] as const;

/**
 * Reads the Turkish central bank's indicative rates (tcmb.gov.tr, kurlar/today.xml): the liras for
 * `Unit` units of a currency, at which the bank buys and sells it.
 */
export const parseTcmb: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "Tarih_Date");
  const asOf = momentOf(isoDateOf(document.attributes.Tarih));
  if (asOf === undefined) {
    throw new ParseError("the layout has changed: Tarih is not as in 25.04.2026");
  }
  return elementsAt(document, "Currency").flatMap((currency) => {
    const base = currency.attributes.CurrencyCode;
    const units = textAt(currency, "Unit");
    return KINDS.flatMap(([name, kind]) => {
      const rate = textAt(currency, name);
      // The special drawing right is only bought.
      if (rate === "") return [];
      return [{ ...lineOfUnits(units, { base, quote: "TRY", rate, asOf }), kind }];
    });
  });
};
