import type { Dates } from "../../rules/archive-ranges.ts";
import { dateAs } from "../formats/notation.ts";
import { type Entry, EURO } from "../publisher.ts";
import { boi } from "./boi.ts";
import { boj } from "./boj.ts";
import { bot } from "./bot.ts";
import { cbc } from "./cbc.ts";
import { cfets } from "./cfets.ts";
import { macaoHolidays, malaysianHolidays, sydneyHolidays } from "./holidays.ts";
import { mas } from "./mas.ts";
import { nrb } from "./nrb.ts";
import { parseAmcm, parseBnm, parseHkma, parseRba } from "./parsers.ts";

const requestAmcm = ({ from, to }: Dates) =>
  "https://www.amcm.gov.mo/api/v1.0/cms/financial_info?QueryType=1" +
  `&Begin=${dateAs("yyyymmdd", from)}&End=${dateAs("yyyymmdd", to)}`;

const HKMA_DAYS =
  "https://api.hkma.gov.hk/public/market-data-and-statistics/monthly-statistical-bulletin" +
  "/er-ir/er-eeri-daily";

const BNM_RATES = "https://api.bnm.gov.my/public/exchange-rate";
const BNM_HEADERS = { accept: "application/vnd.BNM.API.v1+json" };

const BNM_CODES =
  "AED AUD BND CAD CHF CNY EGP EUR GBP HKD IDR INR JPY KHR KRW MMK NPR NZD PHP PKR SAR SDR SGD THB"
    .concat(" TWD USD VND")
    .split(" ");

/** Central banks of Asia and the Pacific. */
export const asianPublishers: readonly Entry[] = [
  {
    key: "rba",
    name: "Reserve Bank of Australia",
    country: "AU",
    termsUrl: "https://www.rba.gov.au/copyright/",
    addresses: ["https://www.rba.gov.au/statistics/tables/csv/f11.1-data.csv"],
    // "Definitions and Sources": the rates "at 4.00 pm (Sydney) on the day concerned". The file is
    // written some 40 minutes later.
    schedule: { cron: "50 16 * * 1-5", timeZone: "Australia/Sydney", holidays: sydneyHolidays },
    publishedAt: "16:00",
    parse: parseRba,
    endedAfterDays: 31,
    // The file that is fetched every day. Earlier years are spreadsheets.
    archive: {
      since: "2023-01-03",
      requestsBy: "everything",
      addresses: () => "https://www.rba.gov.au/statistics/tables/csv/f11.1-data.csv",
    },
  },
  {
    key: "hkma",
    name: "Hong Kong Monetary Authority",
    country: "HK",
    terms: "Free to reproduce when the Hong Kong Monetary Authority is named as the source.",
    termsUrl:
      "https://www.hkma.gov.hk/eng/data-publications-and-research/data-and-statistics" +
      "/monthly-statistical-bulletin/general-notes",
    addresses: [`${HKMA_DAYS}?offset=0&pagesize=10&sortby=end_of_day&sortorder=desc`],
    // Each month the days of the month before, in the Monthly Statistical Bulletin "on the 3rd and
    // 6th business days" ("General Notes").
    schedule: { cron: "0 12 12 * *", timeZone: "Asia/Hong_Kong", leadDays: 20 },
    publishedAt: "17:00",
    parse: parseHkma,
    // "API Documentation": choose, from and to; a page has at most 100 days.
    archive: {
      since: EURO,
      requestsBy: "quarter",
      addresses: ({ from, to }) =>
        `${HKMA_DAYS}?choose=end_of_day&from=${from}&to=${to}` +
        "&offset=0&pagesize=100&sortby=end_of_day&sortorder=desc",
    },
  },
  {
    key: "amcm",
    name: "Monetary Authority of Macao",
    country: "MO",
    terms: "The conditions of the authority apply; check them before passing the figures on.",
    addresses: { latestDays: 7 },
    // The middle rates of a day's interbank market, for which the authority names no time.
    schedule: { cron: "30 17 * * 1-5", timeZone: "Asia/Macau", holidays: macaoHolidays },
    publishedAt: "17:00",
    parse: parseAmcm,
    // Begin and End, of at most some four months.
    archive: { since: EURO, requestsBy: "quarter", addresses: requestAmcm },
  },
  {
    key: "bnm",
    name: "Bank Negara Malaysia",
    country: "MY",
    addresses: [() => ({ address: `${BNM_RATES}?session=0900&quote=rm`, headers: BNM_HEADERS })],
    // The rates of the session at 9:00 of a working day, for which the bank names no time.
    schedule: { cron: "0 10 * * 1-5", timeZone: "Asia/Kuala_Lumpur", holidays: malaysianHolidays },
    publishedAt: "09:00",
    parse: parseBnm,
    // "Exchange Rates": a month of a currency, by its own code.
    archive: {
      since: "2006-01-03",
      requestsBy: "month",
      addresses: ({ from }) => {
        const { year, month } = Temporal.PlainDate.from(from);
        return BNM_CODES.map((code) => ({
          address: `${BNM_RATES}/${code}/year/${year}/month/${month}?session=0900&quote=rm`,
          headers: BNM_HEADERS,
        }));
      },
      isAbsentBy404: true,
      paceMs: 1000,
    },
  },
  boi,
  boj,
  cbc,
  cfets,
  bot,
  nrb,
  mas,
];
