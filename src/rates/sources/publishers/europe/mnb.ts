import type { Dates } from "../../rules/archive-ranges.ts";
import { decimalOfComma } from "../formats/notation.ts";
import { lineOfUnits, required } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type DocumentRequest, type Entry, EURO, type Parse } from "../publisher.ts";
import { hungarianHolidays } from "./holidays.ts";

const MNB_RATES =
  "https://www.mnb.hu/en/statistics/statistical-data-and-information/" +
  "statistical-time-series/exchange-rates/fixing-and-publication-of-the-official-exchange-rates";

/** Without their names, the response has days without rates. */
const MNB_CURRENCIES =
  "AUD,BRL,CAD,CHF,CNY,CZK,DKK,EUR,GBP,HKD,IDR,ILS,INR,ISK,JPY,KRW,MXN,MYR,NOK,NZD,PHP,PLN,RON," +
  "RSD,RUB,SEK,SGD,THB,TRY,UAH,USD,ZAR";

/** Requests the rates of some dates by SOAP. */
const requestMnb = ({ from, to }: Dates): DocumentRequest => ({
  address: "https://www.mnb.hu/arfolyamok.asmx",
  headers: {
    "content-type": "text/xml; charset=utf-8",
    soapaction: "http://www.mnb.hu/webservices/MNBArfolyamServiceSoap/GetExchangeRates",
  },
  body: `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<GetExchangeRates xmlns="http://www.mnb.hu/webservices/">
<startDate>${from}</startDate>
<endDate>${to}</endDate>
<currencyNames>${MNB_CURRENCIES}</currencyNames>
</GetExchangeRates>
</soap:Body></soap:Envelope>
`,
});

/**
 * Reads the Hungarian National Bank's official rates (mnb.hu, arfolyamok.asmx), a document within
 * that of SOAP: the forints, with a decimal comma, for `unit` units of a currency.
 */
const parseMnb: Parse = ([response], momentOf) => {
  const envelope = parseXmlText(response, "s:Envelope");
  const path = ["s:Body", "GetExchangeRatesResponse", "GetExchangeRatesResult"];
  const text = required(textAt(envelope, ...path), "no GetExchangeRatesResult");
  const document = parseXmlText({ body: Buffer.from(text) }, "MNBExchangeRates");
  return elementsAt(document, "Day").flatMap((day) => {
    const asOf = momentOf(day.attributes.date);
    return elementsAt(day, "Rate").map(({ attributes: { curr: base, unit }, text: value }) =>
      lineOfUnits(unit, { base, quote: "HUF", rate: decimalOfComma(value), asOf }),
    );
  });
};

export const mnb: Entry = {
  key: "mnb",
  name: "Magyar Nemzeti Bank",
  country: "HU",
  terms: "Reproduction of the official rates is permitted; the bank is not liable for them.",
  termsUrl: MNB_RATES,
  addresses: { latestDays: 7 },
  // "Fixing and publication of the official exchange rates": "fixed at 11 am" on each weekday,
  // "except for on national public holidays".
  schedule: { cron: "20 11 * * 1-5", timeZone: "Europe/Budapest", holidays: hungarianHolidays },
  publishedAt: "11:00",
  parse: parseMnb,
  // The ranges of the same operation; currencies that have ended have other names.
  archive: { since: EURO, requestsBy: "year", addresses: requestMnb },
};
