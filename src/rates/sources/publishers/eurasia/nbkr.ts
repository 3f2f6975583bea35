import { decimalOfComma, isoDateOf } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";

/**
 * Reads the National Bank of the Kyrgyz Republic's official rates (nbkr.kg, XML/daily.xml and
 * weekly.xml): the som, with a decimal comma, per `Nominal` units of a currency,
 * from the table's `Date` on.
 */
export const parseNbkr: Parse = (responses, momentOf) => {
  return responses.flatMap((response, place) => {
    const document = parseXmlText(response, "CurrencyRates");
    const currencies = elementsAt(document, "Currency");
    // Without this check, the other table would hide that this one is empty.
    if (currencies.length === 0) {
      throw new ParseError("no rates in the response: a table is empty");
    }
    const asOf = momentOf(isoDateOf(document.attributes.Date));
    if (asOf === undefined) {
      throw new ParseError("the layout has changed: Date is not as in 25.04.2026");
    }
    return currencies.map((currency) => {
      const base = currency.attributes.ISOCode;
      const rate = decimalOfComma(textAt(currency, "Value"));
      const line = lineOfUnits(textAt(currency, "Nominal"), {
        base,
        quote: "KGS",
        rate,
        asOf,
      });
      return { ...line, place };
    });
  });
};
