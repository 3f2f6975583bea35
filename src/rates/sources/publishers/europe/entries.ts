import { type Entry, EURO } from "../publisher.ts";
import { bazg } from "./bazg.ts";
import { bdi } from "./bdi.ts";
import { boe } from "./boe.ts";
import { cbbh } from "./cbbh.ts";
import { ECB_PUBLISHED_AT } from "./ecb-xml.ts";
import {
  czechHolidays,
  danishHolidays,
  icelandicHolidays,
  norwegianHolidays,
  polishHolidays,
  romanianHolidays,
  swedishHolidays,
  swissHolidays,
  targetHolidays,
} from "./holidays.ts";
import { mnb } from "./mnb.ts";
import {
  parseBnr,
  parseCnb,
  parseDnb,
  parseEcb,
  parseHnb,
  parseNbp,
  parseNorges,
  parseRiksbank,
  parseSbi,
  parseSnb,
} from "./parsers.ts";

/** The first year of which all of NBP's tables A are known; earlier ones had other currencies. */
const NBP_TABLES_SINCE = 2016;

/** The last years of the currencies of table A (api.nbp.pl); all others are in table B. */
const nbpTableA: ReadonlyMap<string, number> = new Map([
  ..."AUD BRL CAD CHF CLP CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP"
    .concat(" RON SEK SGD THB TRY UAH USD XDR ZAR")
    .split(" ")
    .map((symbol) => [symbol, 9999] as const),
  ["BGN", 2025],
  ["HRK", 2022],
  ["RUB", 2022],
]);

const NBP_TABLES = "https://api.nbp.pl/api/exchangerates/tables";

const SBI_SERIES = "https://sedlabanki.is/xmltimeseries/Default.aspx";

/** Authorities of Western, Northern and Central Europe, those on by default first. */
export const europeanPublishers: readonly Entry[] = [
  {
    key: "ecb",
    name: "European Central Bank",
    country: "EU",
    terms: "Free to reuse, the European Central Bank named as the source, the figures unmodified.",
    termsUrl: "https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html",
    addresses: ["https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"],
    // "Euro foreign exchange reference rates": "usually updated at around 16:00 CET every working
    // day, except on TARGET closing days".
    schedule: { cron: "5 16 * * 1-5", timeZone: "Europe/Berlin", holidays: targetHolidays },
    publishedAt: ECB_PUBLISHED_AT.time,
    onByDefault: true,
    parse: parseEcb,
    // "Euro foreign exchange reference rates", under its downloads: one file of all dates.
    archive: {
      since: EURO,
      requestsBy: "everything",
      addresses: () => "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.xml",
    },
  },
  {
    key: "cnb",
    name: "Czech National Bank",
    country: "CZ",
    terms: "Free to reuse when the Czech National Bank is named as the source.",
    termsUrl: "https://www.cnb.cz/en/privacy-statement-and-disclaimer/disclaimer-copyright/",
    addresses: ["https://api.cnb.cz/cnbapi/exrates/daily?lang=EN"],
    // "Format of the foreign exchange market rates": "updated only once a day (every working day
    // after 2.30 p.m.)".
    schedule: { cron: "35 14 * * 1-5", timeZone: "Europe/Prague", holidays: czechHolidays },
    publishedAt: "14:30",
    onByDefault: true,
    parse: parseCnb,
    // api.cnb.cz, "exrates/daily-year".
    archive: {
      since: EURO,
      requestsBy: "year",
      addresses: ({ from }) =>
        `https://api.cnb.cz/cnbapi/exrates/daily-year?year=${from.slice(0, 4)}&lang=EN`,
    },
  },
  {
    key: "nbp",
    name: "Narodowy Bank Polski",
    country: "PL",
    terms:
      "The conditions of Narodowy Bank Polski apply; check them before passing the figures on.",
    addresses: [`${NBP_TABLES}/A?format=json`, `${NBP_TABLES}/B?format=json`],
    // Table A is published about noon on working days, table B on Wednesdays (api.nbp.pl).
    schedule: { cron: "20 12 * * 1-5", timeZone: "Europe/Warsaw", holidays: polishHolidays },
    rarerPairs: {
      includes: ({ base }, year) => {
        const last = nbpTableA.get(base) ?? 0;
        return last > 0 || year >= NBP_TABLES_SINCE ? year > last : undefined;
      },
      schedule: {
        cron: "20 12 * * 3",
        timeZone: "Europe/Warsaw",
        holidays: polishHolidays,
        movesBefore: true,
      },
    },
    publishedAt: "12:00",
    onByDefault: true,
    parse: parseNbp,
    // api.nbp.pl: since 2 January 2002, at most 93 days, and 404 where there is no table.
    archive: {
      since: "2002-01-02",
      requestsBy: "quarter",
      addresses: ({ from, to }) =>
        ["A", "B"].map((table) => `${NBP_TABLES}/${table}/${from}/${to}/?format=json`),
      isAbsentBy404: true,
    },
  },
  {
    key: "norges",
    name: "Norges Bank",
    country: "NO",
    terms:
      "Open data under the licence NLOD: free to reuse when Norges Bank is named as the source.",
    termsUrl: "https://data.norge.no/nlod",
    addresses: [
      "https://data.norges-bank.no/api/data/EXR/B..NOK.SP?format=csvdata&lastNObservations=1",
    ],
    // "FAQ Exchange rates": "approximately 16:00 CET on business days".
    schedule: { cron: "5 16 * * 1-5", timeZone: "Europe/Oslo", holidays: norwegianHolidays },
    publishedAt: "16:00",
    onByDefault: true,
    parse: parseNorges,
    endedAfterDays: 31,
    // SDMX's startPeriod and endPeriod, and its 404 where there is no observation.
    archive: {
      since: EURO,
      requestsBy: "year",
      addresses: ({ from, to }) =>
        "https://data.norges-bank.no/api/data/EXR/B..NOK.SP?format=csvdata" +
        `&startPeriod=${from}&endPeriod=${to}`,
      isAbsentBy404: true,
    },
  },
  {
    key: "dnb",
    name: "Danmarks Nationalbank",
    country: "DK",
    terms: "Free to reuse, Danmarks Nationalbank named as the source, the figures unmodified.",
    termsUrl: "https://www.nationalbanken.dk/da/juridiske-oplysninger/ophavsret",
    addresses: ["https://www.nationalbanken.dk/api/currencyratesxml?lang=en"],
    // "Danmarks Nationalbank's exchange rates": "around 4:00 pm – as soon as the European Central
    // Bank (ECB) has published the euro exchange rates".
    schedule: { cron: "10 16 * * 1-5", timeZone: "Europe/Copenhagen", holidays: danishHolidays },
    publishedAt: "16:00",
    onByDefault: true,
    parse: parseDnb,
  },
  {
    key: "riksbank",
    name: "Sveriges Riksbank",
    country: "SE",
    terms: "The conditions of Sveriges Riksbank apply; check them before passing the figures on.",
    addresses: ["https://api.riksbank.se/swea/v1/Observations/Latest/ByGroup/130"],
    // "Statistics": "the exchange rates at 16.15 every Swedish banking day".
    schedule: { cron: "20 16 * * 1-5", timeZone: "Europe/Stockholm", holidays: swedishHolidays },
    publishedAt: "16:15",
    parse: parseRiksbank,
    endedAfterDays: 31,
    // SWEA: a group's range is at most a year. Without a key five requests a minute are allowed.
    archive: {
      since: EURO,
      requestsBy: "year",
      addresses: ({ from, to }) =>
        `https://api.riksbank.se/swea/v1/Observations/ByGroup/130/${from}/${to}`,
      paceMs: 13_000,
    },
  },
  {
    key: "bnr",
    name: "National Bank of Romania",
    country: "RO",
    addresses: ["https://curs.bnr.ro/nbrfxrates.xml"],
    // "Exchange rate list in XML format": "updated in real time, shortly after 13:00, every
    // banking day".
    schedule: { cron: "10 13 * * 1-5", timeZone: "Europe/Bucharest", holidays: romanianHolidays },
    publishedAt: "13:00",
    parse: parseBnr,
    // "Exchange rate list in XML format": a file for each year. That of 2005 begins in old lei.
    archive: {
      since: "2006-01-03",
      requestsBy: "year",
      addresses: ({ from }) =>
        `https://curs.bnr.ro/files/xml/years/nbrfxrates${from.slice(0, 4)}.xml`,
    },
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
    publishedAt: "11:00",
    parse: parseSnb,
  },
  {
    key: "sbi",
    name: "Central Bank of Iceland",
    country: "IS",
    addresses: [
      `${SBI_SERIES}?DagsFra=LATEST&GroupID=9&Type=xml`,
      `${SBI_SERIES}?DagsFra=LATEST&GroupID=7&Type=xml`,
    ],
    // "Hvenær er gengið skráð": set at about 14:15 CET, published at about 16:00 local time on
    // every day on which the market is open. Group 9 has the official reference rates, group 7 the
    // middle rates of further currencies.
    schedule: {
      cron: "10 16 * * 1-5",
      timeZone: "Atlantic/Reykjavik",
      holidays: icelandicHolidays,
    },
    publishedAt: "16:00",
    parse: parseSbi,
    endedAfterDays: 31,
    // DagsFra and DagsTil; group 7 begins in 2006.
    archive: {
      since: EURO,
      requestsBy: "year",
      addresses: ({ from, to }) =>
        ["9", "7"].map(
          (group) => `${SBI_SERIES}?DagsFra=${from}&DagsTil=${to}&GroupID=${group}&Type=xml`,
        ),
    },
  },
  {
    key: "hnb",
    name: "Croatian National Bank",
    country: "HR",
    addresses: ["https://api.hnb.hr/tecajn-eur/v3"],
    // Published on the business days of TARGET ("Exchange rate list for CNB clients"), from the
    // concertation at 14:10, for the next calendar day on; the bank names no time.
    schedule: { cron: "30 16 * * 1-5", timeZone: "Europe/Zagreb", holidays: targetHolidays },
    publishedAt: "00:00",
    parse: parseHnb,
    // Since the euro; the kunas of the years before have another API, which is frozen.
    archive: {
      since: "2023-01-02",
      requestsBy: "quarter",
      addresses: ({ from, to }) =>
        `https://api.hnb.hr/tecajn-eur/v3?datum-primjene-od=${from}&datum-primjene-do=${to}`,
    },
  },
  mnb,
  bazg,
  bdi,
  boe,
  cbbh,
];
