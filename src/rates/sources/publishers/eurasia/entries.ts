import type { Dates } from "../../rules/archive-ranges.ts";
import { dateAs } from "../formats/notation.ts";
import { type DocumentRequest, type Entry, EURO } from "../publisher.ts";
import { cbar } from "./cbar.ts";
import { cbt } from "./cbt.ts";
import {
  armenianHolidays,
  belarusianHolidays,
  georgianHolidays,
  kazakhHolidays,
  kyrgyzHolidays,
  macedonianHolidays,
  moldovanHolidays,
  russianHolidays,
  turkishHolidays,
  ukrainianHolidays,
  uzbekHolidays,
} from "./holidays.ts";
import {
  parseCba,
  parseCbr,
  parseCbu,
  parseNbg,
  parseNbk,
  parseNbkr,
  parseNbm,
  parseNbrb,
  parseNbrm,
  parseNbu,
  parseTcmb,
} from "./parsers.ts";

/** The currencies of daily.xml; all others are in weekly.xml. */
const nbkrDaily: ReadonlySet<string> = new Set("USD EUR CNY KZT RUB".split(" "));

const dotted = (date: Temporal.PlainDate | string) => dateAs("dd.mm.yyyy", date);

const compact = (date: string) => dateAs("yyyymmdd", date);

/** The address of a date of an archive; none for one at a weekend, when nothing is set. */
const onWeekdays =
  (addressOf: (day: Temporal.PlainDate) => string) =>
  ({ from }: Dates) => {
    const day = Temporal.PlainDate.from(from);
    return day.dayOfWeek > 5 ? [] : addressOf(day);
  };

const requestNbu = ({ from, to }: Dates) =>
  "https://bank.gov.ua/NBU_Exchange/exchange_site" +
  `?start=${compact(from)}&end=${compact(to)}&json`;

const requestNbrm = ({ from, to }: Dates) =>
  "https://www.nbrm.mk/KLServiceNOV/GetExchangeRate" +
  `?StartDate=${dotted(from)}&EndDate=${dotted(to)}&format=json`;

const requestCbu = (day: Temporal.PlainDate) =>
  `https://cbu.uz/en/arkhiv-kursov-valyut/json/all/${day}/`;

const requestNbk = (day: Temporal.PlainDate) =>
  `https://nationalbank.kz/rss/get_rates.cfm?fdate=${dotted(day)}`;

const requestNbm = (day: Temporal.PlainDate) =>
  `https://www.bnm.md/en/official_exchange_rates?get_xml=1&date=${dotted(day)}`;

const requestCba = (operation: string, parameters = ""): DocumentRequest => ({
  address: "https://api.cba.am/exchangerates.asmx",
  headers: {
    "content-type": "text/xml; charset=utf-8",
    soapaction: `"http://www.cba.am/${operation}"`,
  },
  body:
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
    `<${operation} xmlns="http://www.cba.am/">${parameters}</${operation}></soap:Body>` +
    "</soap:Envelope>",
});

const CBA_CODES =
  "USD,GBP,AUD,EUR,XDR,IRR,PLN,CAD,INR,NOK,JPY,SEK,CHF,CZK,CNY,SGD,BRL,AED,KGS,KZT,RUB,UAH,UZS," +
  "BYN,TJS,GEL,HKD,NZD";

/** Central banks of Eastern Europe, the Caucasus and Central Asia. */
export const eurasianPublishers: readonly Entry[] = [
  {
    key: "cbr",
    name: "Bank of Russia",
    country: "RU",
    terms: "The conditions of the Bank of Russia apply; check them before passing the figures on.",
    termsUrl: "https://www.cbr.ru/eng/user_agreement/",
    addresses: ["https://www.cbr.ru/scripts/XML_daily.asp"],
    charset: "windows-1251",
    // Set "as of 15:30 Moscow time" of a working day (press release of 25 April 2022), in effect
    // from the next calendar day on, which is the date of the file.
    schedule: { cron: "0 18 * * 1-5", timeZone: "Europe/Moscow", holidays: russianHolidays },
    publishedAt: "00:00",
    parse: parseCbr,
    // "Technical resources": the rates in effect on date_req. On a day without new ones these are
    // the last ones, with their own date.
    archive: {
      since: EURO,
      requestsBy: "day",
      addresses: ({ from }) =>
        `https://www.cbr.ru/scripts/XML_daily.asp?date_req=${dateAs("dd/mm/yyyy", from)}`,
    },
  },
  {
    key: "nbg",
    name: "National Bank of Georgia",
    country: "GE",
    addresses: ["https://nbg.gov.ge/gw/api/ct/monetarypolicy/currencies/en/json"],
    // "Exchange rate regime": from the trades until 16:30 of a business day, "announced by the NBG
    // and effective on the next day", which is the date of the file.
    schedule: { cron: "0 18 * * 1-5", timeZone: "Asia/Tbilisi", holidays: georgianHolidays },
    publishedAt: "00:00",
    parse: parseNbg,
    archive: {
      since: EURO,
      requestsBy: "day",
      addresses: ({ from }) =>
        `https://nbg.gov.ge/gw/api/ct/monetarypolicy/currencies/en/json/?date=${from}`,
    },
  },
  {
    key: "nbkr",
    name: "National Bank of the Kyrgyz Republic",
    country: "KG",
    addresses: ["https://www.nbkr.kg/XML/daily.xml", "https://www.nbkr.kg/XML/weekly.xml"],
    charset: "windows-1251",
    // Set "daily on trading days from 15:00 to 15:30" (the bank's metadata), in effect from the
    // next calendar day on, which is the date of the file; it is written at 16:20.
    schedule: { cron: "30 16 * * 1-5", timeZone: "Asia/Bishkek", holidays: kyrgyzHolidays },
    rarerPairs: {
      includes: ({ base }) => !nbkrDaily.has(base),
      schedule: { cron: "30 16 * * 5", timeZone: "Asia/Bishkek", holidays: kyrgyzHolidays },
    },
    publishedAt: "00:00",
    isServedAhead: true,
    parse: parseNbkr,
  },
  {
    key: "nbrb",
    name: "National Bank of the Republic of Belarus",
    country: "BY",
    addresses: ["https://api.nbrb.by/exrates/rates?periodicity=0"],
    // Set after the trades of the working day before. The response has the rates of today, which
    // are in effect from midnight on, and differ from those of the day before on working days only.
    schedule: { cron: "30 3 * * 1-5", timeZone: "Europe/Minsk", holidays: belarusianHolidays },
    publishedAt: "00:00",
    parse: parseNbrb,
    // "API": ondate and periodicity. Since the ruble lost four zeros.
    archive: {
      since: "2016-07-01",
      requestsBy: "day",
      addresses: ({ from }) => `https://api.nbrb.by/exrates/rates?ondate=${from}&periodicity=0`,
    },
  },
  {
    key: "nbu",
    name: "National Bank of Ukraine",
    country: "UA",
    termsUrl: "https://bank.gov.ua/en/useterms",
    addresses: { latestDays: 0 },
    // Set at the end of a working day, in effect from the next one on. Those of today, since those
    // of a Monday, published on Friday, are too far ahead.
    schedule: { cron: "0 6 * * 1-5", timeZone: "Europe/Kyiv", holidays: ukrainianHolidays },
    publishedAt: "00:00",
    parse: parseNbu,
    statesTroyOunces: true,
    // start and end. Of every date, also those without a new rate.
    archive: { since: EURO, requestsBy: "quarter", addresses: requestNbu },
  },
  {
    key: "cbu",
    name: "Central Bank of Uzbekistan",
    country: "UZ",
    addresses: [requestCbu],
    // Published at 16:00 of a banking day, in effect from the next one on; those of today.
    schedule: { cron: "0 6 * * 1-5", timeZone: "Asia/Tashkent", holidays: uzbekHolidays },
    publishedAt: "00:00",
    parse: parseCbu,
    // Since the last of its currencies got another code, the bolívar. On a day without new ones
    // the response has the last ones, with their own date.
    archive: { since: "2018-08-20", requestsBy: "day", addresses: onWeekdays(requestCbu) },
  },
  {
    key: "nbk",
    name: "National Bank of Kazakhstan",
    country: "KZ",
    addresses: [requestNbk],
    // Set from the trades of a working day, and "published the following day of their setting"
    // (the bank's metadata, "Exchange Rates"); those of today.
    schedule: { cron: "0 6 * * 1-5", timeZone: "Asia/Almaty", holidays: kazakhHolidays },
    publishedAt: "00:00",
    parse: parseNbk,
    // fdate. Since the Belarusian ruble lost four zeros: which code the old one has is not known.
    archive: { since: "2016-07-01", requestsBy: "day", addresses: onWeekdays(requestNbk) },
  },
  {
    key: "nbm",
    name: "National Bank of Moldova",
    country: "MD",
    termsUrl: "https://www.bnm.md/en/content/terms-use",
    addresses: [requestNbm],
    // Set on a working day, in effect from the next one on; those of today.
    schedule: { cron: "0 6 * * 1-5", timeZone: "Europe/Chisinau", holidays: moldovanHolidays },
    publishedAt: "00:00",
    parse: parseNbm,
    // By the same address; a currency has its number in ISO 4217, too, which changes with it.
    archive: { since: EURO, requestsBy: "day", addresses: onWeekdays(requestNbm) },
  },
  {
    key: "nbrm",
    name: "National Bank of the Republic of North Macedonia",
    country: "MK",
    terms: "Free to reuse, the National Bank named as the source, the figures unmodified.",
    termsUrl: "https://www.nbrm.mk/veb-info.nspx",
    addresses: { latestDays: 0 },
    // Set on a working day, in effect from the next calendar day on (the list's own heading). The
    // response has a list for each day, that of the last working day before it; those of today.
    schedule: { cron: "0 6 * * 1-5", timeZone: "Europe/Skopje", holidays: macedonianHolidays },
    publishedAt: "00:00",
    onByDefault: true,
    parse: parseNbrm,
    // StartDate and EndDate.
    archive: { since: EURO, requestsBy: "quarter", addresses: requestNbrm },
  },
  {
    key: "cba",
    name: "Central Bank of Armenia",
    country: "AM",
    addresses: [() => requestCba("ExchangeRatesLatest")],
    // The averages of a day's trades, for which the bank names no time: at 14:48 of a working day
    // the newest were those of the day before.
    schedule: { cron: "10 17 * * 1-5", timeZone: "Asia/Yerevan", holidays: armenianHolidays },
    publishedAt: "17:00",
    parse: parseCba,
    // Of the codes that it has today, since the last of them changed, the Belarusian.
    archive: {
      since: "2016-07-01",
      requestsBy: "year",
      addresses: ({ from, to }) =>
        requestCba(
          "ExchangeRatesByDateRangeByISO",
          `<ISOCodes>${CBA_CODES}</ISOCodes><DateFrom>${from}</DateFrom><DateTo>${to}</DateTo>`,
        ),
    },
  },
  {
    key: "tcmb",
    name: "Central Bank of the Republic of Türkiye",
    country: "TR",
    termsUrl: "https://www.tcmb.gov.tr/wps/wcm/connect/EN/TCMB+EN/Bottom+Menu/Other/Disclaimer",
    addresses: ["https://www.tcmb.gov.tr/kurlar/today.xml"],
    // Only the Turkish names have other letters; the file was once in this encoding.
    charset: "windows-1254",
    // "Indicative Exchange Rates": "announced by the CBRT at 15:30 on each business day".
    schedule: { cron: "40 15 * * 1-5", timeZone: "Europe/Istanbul", holidays: turkishHolidays },
    publishedAt: "15:30",
    // By the Turkish tax procedure law, foreign exchange is valued at the bank's buying rate.
    servedKind: "buying",
    parse: parseTcmb,
    // A file of each working day, since the Turkish and the Romanian currency lost their zeros.
    archive: {
      since: "2005-07-01",
      requestsBy: "day",
      addresses: onWeekdays(
        (date) => `https://www.tcmb.gov.tr/kurlar/${dateAs("yyyymm/ddmmyyyy", date)}.xml`,
      ),
      isAbsentBy404: true,
    },
  },
  cbar,
  cbt,
];
