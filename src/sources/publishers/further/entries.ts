import { archives } from "../archives.ts";
import {
  belarusianHolidays,
  colombianHolidays,
  danishHolidays,
  georgianHolidays,
  kyrgyzHolidays,
  romanianHolidays,
  swissHolidays,
  sydneyHolidays,
} from "../holidays.ts";
import type { Entry } from "../publisher.ts";
import { parseBnr } from "./bnr.ts";
import { parseDnb } from "./dnb.ts";
import { parseNbg } from "./nbg.ts";
import { parseNbkr } from "./nbkr.ts";
import { parseNbrb } from "./nbrb.ts";
import { parseRba } from "./rba.ts";
import { parseSfc } from "./sfc.ts";
import { parseSnb } from "./snb.ts";

/** The currencies of daily.xml; all others are in weekly.xml. */
const nbkrDaily: ReadonlySet<string> = new Set("USD EUR CNY KZT RUB".split(" "));

/** Central banks that are off by default, in the default order of precedence. */
export const furtherPublishers: readonly Entry[] = [
  {
    key: "bnr",
    name: "National Bank of Romania",
    country: "RO",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: ["https://curs.bnr.ro/nbrfxrates.xml"],
    // "Exchange rate list in XML format": "updated in real time, shortly after 13:00, every
    // banking day".
    schedule: { cron: "10 13 * * 1-5", timeZone: "Europe/Bucharest", holidays: romanianHolidays },
    publishedAt: { time: "13:00", timeZone: "Europe/Bucharest" },
    onByDefault: false,
    parse: parseBnr,
    archive: archives.bnr,
  },
  {
    key: "dnb",
    name: "Danmarks Nationalbank",
    country: "DK",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: ["https://www.nationalbanken.dk/api/currencyratesxml?lang=en"],
    // "Danmarks Nationalbank's exchange rates": "around 4:00 pm – as soon as the European Central
    // Bank (ECB) has published the euro exchange rates".
    schedule: { cron: "10 16 * * 1-5", timeZone: "Europe/Copenhagen", holidays: danishHolidays },
    publishedAt: { time: "16:00", timeZone: "Europe/Copenhagen" },
    onByDefault: false,
    parse: parseDnb,
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
    archive: archives.nbg,
  },
  {
    key: "rba",
    name: "Reserve Bank of Australia",
    country: "AU",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: "https://www.rba.gov.au/copyright/",
    addresses: ["https://www.rba.gov.au/statistics/tables/csv/f11.1-data.csv"],
    // "Definitions and Sources": the rates "at 4.00 pm (Sydney) on the day concerned". The file is
    // written some 40 minutes later.
    schedule: { cron: "50 16 * * 1-5", timeZone: "Australia/Sydney", holidays: sydneyHolidays },
    publishedAt: { time: "16:00", timeZone: "Australia/Sydney" },
    onByDefault: false,
    parse: parseRba,
    archive: archives.rba,
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
    key: "sfc",
    name: "Superintendencia Financiera de Colombia",
    country: "CO",
    terms: "The conditions of the authority apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: [
      "https://www.datos.gov.co/resource/32sa-8pi3.json?$order=vigenciadesde%20DESC&$limit=1",
    ],
    // Computed from the trades of a working day, in effect from the next calendar day on; the
    // dataset is updated at 18:05.
    schedule: { cron: "30 18 * * 1-5", timeZone: "America/Bogota", holidays: colombianHolidays },
    publishedAt: { time: "00:00", timeZone: "America/Bogota" },
    onByDefault: false,
    parse: parseSfc,
    archive: archives.sfc,
  },
  {
    key: "snb",
    name: "Swiss National Bank",
    country: "CH",
    terms: "Free for non-commercial use only, the Swiss National Bank named as the source.",
    termsUrl: "https://www.snb.ch/en/srv/disclaimer",
    addresses: ["https://www.snb.ch/public/en/rss/exchangeRates"],
    // The rates of 11:00; the feed states 12:00 as its time of publication.
    schedule: { cron: "10 12 * * 1-5", timeZone: "Europe/Zurich", holidays: swissHolidays },
    publishedAt: { time: "11:00", timeZone: "Europe/Zurich" },
    onByDefault: false,
    parse: parseSnb,
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
    archive: archives.nbrb,
  },
];
