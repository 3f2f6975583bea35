import { jsonRows, listAt, parseJsonText, textsOf } from "../formats/json-text.ts";
import { decimalOfComma, isoDateOf, lastOfDays, withoutMidnight } from "../formats/notation.ts";
import { lineOfUnits, required } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt, textsAt } from "../formats/xml-text.ts";
import type { Parse } from "../publisher.ts";

const CBA_DAYS =
  "soap:Body ExchangeRatesByDateRangeByISOResponse ExchangeRatesByDateRangeByISOResult " +
  "diffgr:diffgram DocumentElement ExchangeRatesByRange";

/**
 * Reads the Central Bank of Armenia's average rates (api.cba.am, ExchangeRatesLatest in SOAP 1.1):
 * the drams per `Amount` units of a currency on the `CurrentDate` or, in the archive
 * (ExchangeRatesByDateRangeByISO), on the `RateDate` of each.
 */
export const parseCba: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "soap:Envelope");
  const days = textsAt(document, ...CBA_DAYS.split(" "));
  if (days.length > 0) {
    return days.map(({ ISO: base, Amount, Rate: rate, RateDate }) => {
      // At midnight in Armenia, whose clocks had summer time until 2011.
      const asOf = momentOf(withoutMidnight(RateDate?.replace(/\+0[45]:00$/, "")));
      return lineOfUnits(Amount, { base, quote: "AMD", rate, asOf });
    });
  }
  const path = ["soap:Body", "ExchangeRatesLatestResponse", "ExchangeRatesLatestResult"];
  const result = required(elementsAt(document, ...path)[0], "no ExchangeRatesLatestResult");
  const asOf = momentOf(withoutMidnight(textAt(result, "CurrentDate")));
  return textsAt(result, "Rates", "ExchangeRate").map(({ ISO: base, Amount, Rate: rate }) =>
    lineOfUnits(Amount, { base, quote: "AMD", rate, asOf }),
  );
};

/**
 * Reads the Bank of Russia's official rates (cbr.ru, scripts/XML_daily.asp): the rubles, with a
 * decimal comma, per `Nominal` units of a currency, from the `Date` on.
 */
export const parseCbr: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "ValCurs");
  const date = momentOf(isoDateOf(document.attributes.Date));
  const asOf = required(date, "Date is not as in 25.04.2026");
  return textsAt(document, "Valute").map(({ CharCode: base, Nominal, Value }) =>
    lineOfUnits(Nominal, { base, quote: "RUB", rate: decimalOfComma(Value), asOf }),
  );
};

/**
 * Reads the Central Bank of Uzbekistan's official rates (cbu.uz, arkhiv-kursov-valyut/json): the
 * sums per `Nominal` units of a currency, from the `Date` on.
 */
export const parseCbu: Parse = ([response], momentOf) =>
  jsonRows(response).map(({ Ccy: base, Nominal, Rate: rate, Date: date }) =>
    lineOfUnits(Nominal, { base, quote: "UZS", rate, asOf: momentOf(isoDateOf(date)) }),
  );

/**
 * Reads the National Bank of Georgia's official rates (nbg.gov.ge, monetarypolicy/currencies): the
 * lari per `quantity` units of a currency, in effect from `validFromDate` on.
 */
export const parseNbg: Parse = ([response], momentOf) =>
  listAt(parseJsonText(response)).flatMap((day) =>
    listAt(day, "currencies").map((entry) => {
      const { code: base, quantity, rate, validFromDate } = textsOf(entry);
      const asOf = momentOf(withoutMidnight(validFromDate));
      return lineOfUnits(quantity, { base, quote: "GEL", rate, asOf });
    }),
  );

/**
 * Reads the National Bank of Kazakhstan's official rates (nationalbank.kz, rss/get_rates.cfm): the
 * tenge, as the `description`, per `quant` units of the currency in the `title`.
 */
export const parseNbk: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "rates");
  const date = momentOf(isoDateOf(textAt(document, "date")));
  const asOf = required(date, "date is not as in 01.04.2026");
  return textsAt(document, "item").map(({ title: base, quant, description: rate }) =>
    lineOfUnits(quant, { base, quote: "KZT", rate, asOf }),
  );
};

/**
 * Reads the National Bank of the Kyrgyz Republic's official rates (nbkr.kg, XML/daily.xml and
 * weekly.xml): the som, with a decimal comma, per `Nominal` units of a currency,
 * from the table's `Date` on, those of weekly.xml for `ValidFor` days.
 */
export const parseNbkr: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "CurrencyRates");
  const currencies = elementsAt(document, "Currency");
  if (currencies.length === 0) return [];
  const date = isoDateOf(document.attributes.Date);
  const asOf = required(momentOf(date), "Date is not as in 25.04.2026");
  return currencies.map((currency) => {
    const rate = decimalOfComma(textAt(currency, "Value"));
    const stated = { base: currency.attributes.ISOCode, quote: "KGS", rate, asOf };
    const [days] = /^[1-9][0-9]?$/.exec(textAt(currency, "ValidFor") ?? "") ?? [];
    const validUntil = days && lastOfDays(date, Number.parseInt(days, 10));
    return { ...lineOfUnits(textAt(currency, "Nominal"), stated), validUntil };
  });
};

/**
 * Reads the National Bank of Moldova's official rates (bnm.md, official_exchange_rates): the lei,
 * with a decimal point, per `Nominal` units of a currency on the `Date`.
 */
export const parseNbm: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "ValCurs");
  const date = momentOf(isoDateOf(document.attributes.Date));
  const asOf = required(date, "Date is not as in 06.04.2026");
  return textsAt(document, "Valute").map(({ CharCode: base, Nominal, Value: rate }) =>
    lineOfUnits(Nominal, { base, quote: "MDL", rate, asOf }),
  );
};

/**
 * Reads the National Bank of the Republic of Belarus's official rates of a day (api.nbrb.by,
 * exrates/rates): the rubles per `Cur_Scale` units of a currency.
 */
export const parseNbrb: Parse = ([response], momentOf) =>
  jsonRows(response).map((row) => {
    const { Cur_Abbreviation: base, Cur_OfficialRate: rate } = row;
    const asOf = momentOf(withoutMidnight(row.Date));
    return lineOfUnits(row.Cur_Scale, { base, quote: "BYN", rate, asOf });
  });

/**
 * Reads the list of the National Bank of North Macedonia (nbrm.mk, KLServiceNOV/GetExchangeRate):
 * the denars per `nomin` units of a currency on the day `datum`.
 */
export const parseNbrm: Parse = ([response], momentOf) =>
  jsonRows(response).map(({ oznaka: base, nomin, sreden: rate, datum }) =>
    lineOfUnits(nomin, { base, quote: "MKD", rate, asOf: momentOf(withoutMidnight(datum)) }),
  );

/**
 * Reads the National Bank of Ukraine's official rates (bank.gov.ua, NBU_Exchange/exchange_site):
 * the hryvnias per `units` units of a currency on the day `exchangedate`.
 */
export const parseNbu: Parse = ([response], momentOf) =>
  jsonRows(response).map(({ cc: base, rate, units, exchangedate: date }) =>
    lineOfUnits(units, { base, quote: "UAH", rate, asOf: momentOf(isoDateOf(date)) }),
  );

/** Of foreign exchange; those of banknotes are further from the market. */
const TCMB_KINDS = [
  ["ForexBuying", "buying"],
  ["ForexSelling", "selling"],
] as const;

/**
 * Reads the Turkish central bank's indicative rates (tcmb.gov.tr, kurlar/today.xml): the liras for
 * `Unit` units of a currency, at which the bank buys and sells it.
 */
export const parseTcmb: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "Tarih_Date");
  const date = momentOf(isoDateOf(document.attributes.Tarih));
  const asOf = required(date, "Tarih is not as in 25.04.2026");
  return elementsAt(document, "Currency").flatMap((currency) =>
    TCMB_KINDS.flatMap(([name, kind]) => {
      const rate = textAt(currency, name);
      // The special drawing right is only bought.
      if (rate === "") return [];
      const stated = { base: currency.attributes.CurrencyCode, quote: "TRY", rate, asOf };
      return [{ ...lineOfUnits(textAt(currency, "Unit"), stated), kind }];
    }),
  );
};
