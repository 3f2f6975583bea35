import { parseRbaArchive } from "./asia/rba.ts";
import { parseNorgesArchive } from "./europe/norges.ts";
import { parseRiksbankArchive } from "./europe/riksbank.ts";
import { parseUstArchive } from "./periodic/ust.ts";
import type { Entry } from "./publisher.ts";

/** The euro's first day: before, some publishers have the ecu under its symbol. */
const EURO = "1999-01-04";

/** Between requests to a publisher that documents no limit. */
const PACE_MS = 500;

const FISCAL_DATA = "https://api.fiscaldata.treasury.gov/services/api/fiscal_service/v1";
const NBP_TABLES = "https://api.nbp.pl/api/exchangerates/tables";

/**
 * The archives of the publishers in the catalogue. The others have none, or in a layout of its own:
 * Danmarks Nationalbank's takes POST requests, that of the National Bank of the Kyrgyz Republic is
 * web pages, the Swiss National Bank's feed has some days, and Kraken's prices have no dates.
 */
export const archives = {
  // "Euro foreign exchange reference rates", under its downloads: one file of all dates.
  ecb: {
    since: EURO,
    requestsBy: "everything",
    addresses: () => ["https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.xml"],
    paceMs: PACE_MS,
  },

  // api.cnb.cz, "exrates/daily-year".
  cnb: {
    since: EURO,
    requestsBy: "year",
    addresses: ({ from }) => [
      `https://api.cnb.cz/cnbapi/exrates/daily-year?year=${yearOf(from)}&lang=EN`,
    ],
    paceMs: PACE_MS,
  },

  // api.nbp.pl: since 2 January 2002, at most 93 days, and 404 where there is no table.
  nbp: {
    since: "2002-01-02",
    requestsBy: "quarter",
    addresses: ({ from, to }) =>
      ["A", "B"].map((table) => `${NBP_TABLES}/${table}/${from}/${to}/?format=json`),
    paceMs: PACE_MS,
    isAbsentBy404: true,
  },

  // SDMX's startPeriod and endPeriod, and its 404 where there is no observation.
  norges: {
    since: EURO,
    requestsBy: "year",
    addresses: ({ from, to }) => [
      "https://data.norges-bank.no/api/data/EXR/B..NOK.SP?format=csvdata" +
        `&startPeriod=${from}&endPeriod=${to}`,
    ],
    paceMs: PACE_MS,
    isAbsentBy404: true,
    parse: parseNorgesArchive,
  },

  // Since the quarter after the last of the known names changed its currency, Sierra Leone-Leone. A
  // year has some 700 rows, a page at most 10,000.
  ust: {
    since: "2022-09-30",
    requestsBy: "year",
    addresses: ({ from, to }) => [
      `${FISCAL_DATA}/accounting/od/rates_of_exchange?sort=effective_date&page[size]=10000` +
        `&page[number]=1&filter=effective_date:gte:${from},effective_date:lte:${to}`,
    ],
    paceMs: PACE_MS,
    parse: parseUstArchive,
  },

  // Valet's start_date and end_date. The group FX_RATES_DAILY begins on this date.
  boc: {
    since: "2017-01-03",
    requestsBy: "year",
    addresses: ({ from, to }) => [
      "https://www.bankofcanada.ca/valet/observations/group/FX_RATES_DAILY/json" +
        `?start_date=${from}&end_date=${to}`,
    ],
    paceMs: PACE_MS,
  },

  // SWEA: a group's range is at most a year, and without a key five requests a minute are allowed.
  riksbank: {
    since: EURO,
    requestsBy: "year",
    addresses: ({ from, to }) => [
      `https://api.riksbank.se/swea/v1/Observations/ByGroup/130/${from}/${to}`,
    ],
    paceMs: 13_000,
    parse: parseRiksbankArchive,
  },

  // "Technical resources": the rates in effect on date_req. On a day without new ones these are the
  // last ones, with their own date.
  cbr: {
    since: EURO,
    requestsBy: "day",
    addresses: ({ from }) => [
      `https://www.cbr.ru/scripts/XML_daily.asp?date_req=${from.split("-").reverse().join("/")}`,
    ],
    paceMs: PACE_MS,
  },

  // "Exchange rate list in XML format": a file for each year. That of 2005 begins in old lei.
  bnr: {
    since: "2006-01-03",
    requestsBy: "year",
    addresses: ({ from }) => [`https://curs.bnr.ro/files/xml/years/nbrfxrates${yearOf(from)}.xml`],
    paceMs: PACE_MS,
  },

  nbg: {
    since: EURO,
    requestsBy: "day",
    addresses: ({ from }) => [
      `https://nbg.gov.ge/gw/api/ct/monetarypolicy/currencies/en/json/?date=${from}`,
    ],
    paceMs: PACE_MS,
  },

  // The file that is fetched every day. Earlier years are spreadsheets.
  rba: {
    since: "2023-01-03",
    requestsBy: "everything",
    addresses: () => ["https://www.rba.gov.au/statistics/tables/csv/f11.1-data.csv"],
    paceMs: PACE_MS,
    parse: parseRbaArchive,
  },

  // Socrata's SoQL; without $limit it responds with 1,000 rows.
  sfc: {
    since: "2000-01-03",
    requestsBy: "year",
    addresses: ({ from, to }) => [
      "https://www.datos.gov.co/resource/32sa-8pi3.json?$order=vigenciadesde&$limit=5000" +
        `&$where=vigenciadesde%20between%20'${from}T00:00:00'%20and%20'${to}T00:00:00'`,
    ],
    paceMs: PACE_MS,
  },

  // "API": ondate and periodicity. Since the ruble lost four zeros.
  nbrb: {
    since: "2016-07-01",
    requestsBy: "day",
    addresses: ({ from }) => [`https://api.nbrb.by/exrates/rates?ondate=${from}&periodicity=0`],
    paceMs: PACE_MS,
  },
} satisfies Readonly<Record<string, NonNullable<Entry["archive"]>>>;

const yearOf = (date: string): string => date.slice(0, 4);
