import { decimalOfComma, isoDateOf } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";

/**
 * Reads the Bank of Russia's official rates (cbr.ru, scripts/XML_daily.asp): the rubles, with a
 * decimal comma, per `Nominal` units of a currency, from the `Date` on.
 */
export const parseCbr: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "ValCurs");
  const asOf = momentOf(isoDateOf(document.attributes.Date));
  if (asOf === undefined) {
    throw new ParseError("the layout has changed: Date is not as in 25.04.2026");
  }
  return elementsAt(document, "Valute").map((valute) => {
    const base = textAt(valute, "CharCode");
    const rate = decimalOfComma(textAt(valute, "Value"));
    return lineOfUnits(textAt(valute, "Nominal"), { base, quote: "RUB", rate, asOf });
  });
};
