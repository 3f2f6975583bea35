import type { SourceLine } from "../../rates/rules/rate.ts";
import { dateIn, publicationTime } from "../rules/publication-time.ts";
import { archives } from "./archives.ts";
import { parseBoc } from "./boc.ts";
import { parseCbr } from "./cbr.ts";
import { parseCnb } from "./cnb.ts";
import { parseEcb } from "./ecb.ts";
import { ECB_PUBLISHED_AT } from "./ecb-xml.ts";
import { deduplicate, withoutRepetitions } from "./formats/source-lines.ts";
import { furtherPublishers } from "./further/entries.ts";
import {
  canadianHolidays,
  czechHolidays,
  norwegianHolidays,
  polishHolidays,
  russianHolidays,
  swedishHolidays,
  targetHolidays,
} from "./holidays.ts";
import { parseKraken } from "./kraken.ts";
import { parseNbp } from "./nbp.ts";
import { parseNorges } from "./norges.ts";
import type { Entry, Publisher } from "./publisher.ts";
import { parseRiksbank } from "./riksbank.ts";
import { parseUst } from "./ust.ts";

/** The currencies of table A (api.nbp.pl); all others are in table B. */
const nbpTableA: ReadonlySet<string> = new Set(
  (
    "AUD BRL CAD CHF CLP CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP " +
    "RON SEK SGD THB TRY UAH USD XDR ZAR"
  ).split(" "),
);

const FISCAL_DATA = "https://api.fiscaldata.treasury.gov/services/api/fiscal_service/v1";

const entries: readonly Entry[] = [
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
    publishedAt: ECB_PUBLISHED_AT,
    onByDefault: true,
    parse: parseEcb,
    archive: archives.ecb,
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
    publishedAt: { time: "14:30", timeZone: "Europe/Prague" },
    onByDefault: true,
    parse: parseCnb,
    archive: archives.cnb,
  },
  {
    key: "nbp",
    name: "Narodowy Bank Polski",
    country: "PL",
    terms:
      "The conditions of Narodowy Bank Polski apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: [
      "https://api.nbp.pl/api/exchangerates/tables/A?format=json",
      "https://api.nbp.pl/api/exchangerates/tables/B?format=json",
    ],
    // Table A is published about noon on working days, table B on Wednesdays (api.nbp.pl).
    schedule: { cron: "20 12 * * 1-5", timeZone: "Europe/Warsaw", holidays: polishHolidays },
    rarerPairs: {
      includes: ({ base }) => !nbpTableA.has(base),
      schedule: { cron: "20 12 * * 3", timeZone: "Europe/Warsaw", holidays: polishHolidays },
    },
    publishedAt: { time: "12:00", timeZone: "Europe/Warsaw" },
    onByDefault: true,
    parse: parseNbp,
    archive: archives.nbp,
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
    publishedAt: { time: "16:00", timeZone: "Europe/Oslo" },
    onByDefault: true,
    parse: parseNorges,
    archive: archives.norges,
  },
  {
    key: "ust",
    name: "US Department of the Treasury",
    country: "US",
    terms: "A work of the United States government, in the public domain in the United States.",
    termsUrl: "https://fiscaldata.treasury.gov/api-documentation/#license-and-authorization",
    addresses: [`${FISCAL_DATA}/accounting/od/rates_of_exchange?sort=-record_date&page[size]=400`],
    // "Treasury Reporting Rates of Exchange": "released quarterly", dated the last day of the
    // quarter, without a day or a time of release. It appears in the first days of the next one.
    // The 7th of these months is no federal holiday in any year. Off by default: a quarter's
    // figure of two digits beside the day's figures of others would be taken for one of the day.
    schedule: { cron: "0 12 7 1,4,7,10 *", timeZone: "America/New_York", holidays: [] },
    publishedAt: { time: "00:00", timeZone: "America/New_York" },
    onByDefault: false,
    parse: parseUst,
    archive: archives.ust,
  },
  {
    key: "boc",
    name: "Bank of Canada",
    country: "CA",
    terms: "Free for non-commercial use only, the Bank of Canada named as the source.",
    termsUrl: "https://www.bankofcanada.ca/terms/",
    addresses: [
      "https://www.bankofcanada.ca/valet/observations/group/FX_RATES_DAILY/json?recent=1",
    ],
    // The group's own description: "published once each business day by 16:30 ET".
    schedule: { cron: "35 16 * * 1-5", timeZone: "America/Toronto", holidays: canadianHolidays },
    publishedAt: { time: "16:30", timeZone: "America/Toronto" },
    onByDefault: false,
    parse: parseBoc,
    archive: archives.boc,
  },
  {
    key: "riksbank",
    name: "Sveriges Riksbank",
    country: "SE",
    terms: "The conditions of Sveriges Riksbank apply; check them before passing the figures on.",
    termsUrl: undefined,
    addresses: ["https://api.riksbank.se/swea/v1/Observations/Latest/ByGroup/130"],
    // "Statistics": "the exchange rates at 16.15 every Swedish banking day".
    schedule: { cron: "20 16 * * 1-5", timeZone: "Europe/Stockholm", holidays: swedishHolidays },
    publishedAt: { time: "16:15", timeZone: "Europe/Stockholm" },
    onByDefault: false,
    parse: parseRiksbank,
    archive: archives.riksbank,
  },
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
    archive: archives.cbr,
  },
  {
    key: "kraken",
    name: "Kraken",
    country: "US",
    terms: "The terms of Kraken apply; check them before passing the figures on.",
    termsUrl: "https://www.kraken.com/legal",
    addresses: [
      "https://api.kraken.com/0/public/AssetPairs",
      "https://api.kraken.com/0/public/Ticker",
    ],
    schedule: { everySeconds: 30 },
    publishedAt: undefined,
    onByDefault: false,
    parse: parseKraken,
  },
  ...furtherPublishers,
];

/** All publishers, in the default order of precedence. */
export const publishers: readonly Publisher[] = entries.map(publisherOf);

function publisherOf({ archive, ...entry }: Entry): Publisher {
  const { publishedAt, parse } = entry;
  const momentOf = (date: string) =>
    publishedAt && publicationTime(date, publishedAt.time, publishedAt.timeZone);
  const dated = (line: SourceLine): SourceLine =>
    publishedAt === undefined || "reason" in line
      ? line
      : { date: dateIn(line.asOf, publishedAt.timeZone), ...line };
  return {
    ...entry,
    parse: (responses) => deduplicate(parse(responses, momentOf)).map(dated),
    ...(archive && {
      archive: {
        ...archive,
        parse: (responses) =>
          withoutRepetitions((archive.parse ?? parse)(responses, momentOf)).map(dated),
      },
    }),
  };
}
