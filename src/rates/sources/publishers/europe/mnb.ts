import { decimalOfComma } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type Address, type Parse, ParseError } from "../publisher.ts";

/** Without their names, the response has days without rates. */
const CURRENCIES =
  "AUD,BRL,CAD,CHF,CNY,CZK,DKK,EUR,GBP,HKD,IDR,ILS,INR,ISK,JPY,KRW,MXN,MYR,NOK,NZD,PHP,PLN,RON," +
  "RSD,RUB,SEK,SGD,THB,TRY,UAH,USD,ZAR";

/** Longer than any pause of working days. */
const DAYS = 7;

/** Requests the rates of the last days by SOAP. */
export const requestMnb: Address = (today) => ({
  address: "https://www.mnb.hu/arfolyamok.asmx",
  headers: {
    "content-type": "text/xml; charset=utf-8",
    soapaction: "http://www.mnb.hu/webservices/MNBArfolyamServiceSoap/GetExchangeRates",
  },
  body: `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<GetExchangeRates xmlns="http://www.mnb.hu/webservices/">
<startDate>${today.subtract({ days: DAYS })}</startDate>
<endDate>${today}</endDate>
<currencyNames>${CURRENCIES}</currencyNames>
</GetExchangeRates>
</soap:Body></soap:Envelope>
`,
});

/**
 * Reads the Hungarian National Bank's official rates (mnb.hu, arfolyamok.asmx), a document within
 * that of SOAP: the forints, with a decimal comma, for `unit` units of a currency.
 */
export const parseMnb: Parse = ([response], momentOf) => {
  const envelope = parseXmlText(response, "s:Envelope");
  const path = ["s:Body", "GetExchangeRatesResponse", "GetExchangeRatesResult"];
  const text = textAt(envelope, ...path);
  if (response === undefined || text === undefined) {
    throw new ParseError("the layout has changed: no GetExchangeRatesResult");
  }
  const document = parseXmlText({ ...response, body: Buffer.from(text) }, "MNBExchangeRates");
  return elementsAt(document, "Day").flatMap((day) => {
    const asOf = momentOf(day.attributes.date ?? "");
    return elementsAt(day, "Rate").map(({ attributes, text: value }) => {
      const { curr: base, unit } = attributes;
      const stated = { base, quote: "HUF", rate: decimalOfComma(value), asOf };
      return lineOfUnits(unit, stated);
    });
  });
};
