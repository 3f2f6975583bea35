import type { Entry } from "../publisher.ts";
import { parseCbr } from "./cbr.ts";
import { parseCbu } from "./cbu.ts";
import {
  belarusianHolidays,
  georgianHolidays,
  kyrgyzHolidays,
  russianHolidays,
  ukrainianHolidays,
  uzbekHolidays,
} from "./holidays.ts";
import { parseNbg } from "./nbg.ts";
import { parseNbkr } from "./nbkr.ts";
import { parseNbrb } from "./nbrb.ts";
import { parseNbu } from "./nbu.ts";

/** The currencies of daily.xml; all others are in weekly.xml. */
const nbkrDaily: ReadonlySet<string> = new Set("USD EUR CNY KZT RUB".split(" "));

/** Central banks of Eastern Europe, the Caucasus and Central Asia. */
export const eurasianPublishers: readonly Entry[] = [
  {
    key: "cbr",
    name: "Bank of Russia",
    country: "RU",
    terms: "The conditions of the Bank of Russia apply; check them before passing the figures on.",
    termsUrl: "https://www.cbr.ru/eng/user_agreement/",
    addresses: ["https://www.cbr.ru/scripts/XML_daily.asp"],
    // Set "as of 15:30 Moscow time" of a working day (press release of 25 April 2022), in effect
    // from the next calendar day on, which is the date of the file.
    schedule: { cron: "0 18 * * 1-5", timeZone: "Europe/Moscow", holidays: russianHolidays },
    publishedAt: { time: "00:00", timeZone: "Europe/Moscow" },
    onByDefault: false,
    parse: parseCbr,
  },
  {
    key: "nbg",
    name: "National Bank of Georgia",
    country: "GE",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: ["https://nbg.gov.ge/gw/api/ct/monetarypolicy/currencies/en/json"],
    // "Exchange rate regime": from the trades until 16:30 of a business day, "announced by the NBG
    // and effective on the next day", which is the date of the file.
    schedule: { cron: "0 18 * * 1-5", timeZone: "Asia/Tbilisi", holidays: georgianHolidays },
    publishedAt: { time: "00:00", timeZone: "Asia/Tbilisi" },
    onByDefault: false,
    parse: parseNbg,
  },
  {
    key: "nbkr",
    name: "National Bank of the Kyrgyz Republic",
    country: "KG",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: ["https://www.nbkr.kg/XML/daily.xml", "https://www.nbkr.kg/XML/weekly.xml"],
    // Set "daily on trading days from 15:00 to 15:30" (the bank's metadata), in effect from the
    // next calendar day on, which is the date of the file; it is written at 16:20.
    schedule: { cron: "30 16 * * 1-5", timeZone: "Asia/Bishkek", holidays: kyrgyzHolidays },
    rarerPairs: {
      includes: ({ base }) => !nbkrDaily.has(base),
      schedule: { cron: "30 16 * * 5", timeZone: "Asia/Bishkek", holidays: kyrgyzHolidays },
    },
    publishedAt: { time: "00:00", timeZone: "Asia/Bishkek" },
    onByDefault: false,
    parse: parseNbkr,
  },
  {
    key: "nbrb",
    name: "National Bank of the Republic of Belarus",
    country: "BY",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: ["https://api.nbrb.by/exrates/rates?periodicity=0"],
    // Set after the trades of the working day before. The response has the rates of today, which
    // are in effect from midnight on, and differ from those of the day before on working days only.
    schedule: { cron: "30 3 * * 1-5", timeZone: "Europe/Minsk", holidays: belarusianHolidays },
    publishedAt: { time: "00:00", timeZone: "Europe/Minsk" },
    onByDefault: false,
    parse: parseNbrb,
  },
  {
    key: "nbu",
    name: "National Bank of Ukraine",
    country: "UA",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: "https://bank.gov.ua/en/useterms",
    addresses: ["https://bank.gov.ua/NBU_Exchange/exchange?json"],
    // The official rates of all currencies are published before 16:00 of a working day, in effect from
    // the next one on, which is the date of the response.
    schedule: { cron: "15 16 * * 1-5", timeZone: "Europe/Kyiv", holidays: ukrainianHolidays },
    publishedAt: { time: "00:00", timeZone: "Europe/Kyiv" },
    onByDefault: false,
    parse: parseNbu,
  },
  {
    key: "cbu",
    name: "Central Bank of Uzbekistan",
    country: "UZ",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: ["https://cbu.uz/en/arkhiv-kursov-valyut/json/"],
    // The official rates are published at 16:00 of every banking day, in effect from the next calendar
    // day on, which is the date of the response.
    schedule: { cron: "10 16 * * 1-5", timeZone: "Asia/Tashkent", holidays: uzbekHolidays },
    publishedAt: { time: "00:00", timeZone: "Asia/Tashkent" },
    onByDefault: false,
    parse: parseCbu,
  },
];
