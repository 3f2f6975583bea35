import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";

/** The rates are "listed as the price in Danish kroner for 100 units of foreign currency". */
const UNITS = "100";

/**
 * Reads Danmarks Nationalbank's exchange rates (nationalbanken.dk, api/currencyratesxml): the
 * kroner per 100 units of a currency, whatever `refamt` says.
 */
export const parseDnb: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "exchangerates");
  const { refcur: quote } = document.attributes;
  if (quote !== "DKK") throw new ParseError("the layout has changed: refcur is not DKK");
  return elementsAt(document, "dailyrates").flatMap((day) => {
    const asOf = momentOf(day.attributes.id ?? "");
    return elementsAt(day, "currency").map(({ attributes: { code: base, rate } }) =>
      lineOfUnits(UNITS, { base, quote, rate, asOf }),
    );
  });
};
