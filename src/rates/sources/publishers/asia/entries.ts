import type { Entry } from "../publisher.ts";
import { boi } from "./boi.ts";
import { boj } from "./boj.ts";
import { bot } from "./bot.ts";
import { cbc } from "./cbc.ts";
import { cfets } from "./cfets.ts";
import { macaoHolidays, malaysianHolidays, sydneyHolidays } from "./holidays.ts";
import { mas } from "./mas.ts";
import { nrb } from "./nrb.ts";
import { parseAmcm, parseBnm, parseHkma, parseRba } from "./parsers.ts";

/** `20260313` */
const compact = (date: Temporal.PlainDate) => date.toString().replaceAll("-", "");

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
    addresses: [
      "https://api.hkma.gov.hk/public/market-data-and-statistics/monthly-statistical-bulletin" +
        "/er-ir/er-eeri-daily?offset=0&pagesize=10&sortby=end_of_day&sortorder=desc",
    ],
    // Each month the days of the month before, in the Monthly Statistical Bulletin "on the 3rd and
    // 6th business days" ("General Notes").
    schedule: { cron: "0 12 12 * *", timeZone: "Asia/Hong_Kong", leadDays: 20 },
    publishedAt: "17:00",
    parse: parseHkma,
  },
  {
    key: "amcm",
    name: "Monetary Authority of Macao",
    country: "MO",
    terms: "The conditions of the authority apply; check them before passing the figures on.",
    addresses: [
      (today) => ({
        address:
          "https://www.amcm.gov.mo/api/v1.0/cms/financial_info?QueryType=1" +
          `&Begin=${compact(today.subtract({ days: 7 }))}&End=${compact(today)}`,
      }),
    ],
    // The middle rates of a day's interbank market, for which the authority names no time.
    schedule: { cron: "30 17 * * 1-5", timeZone: "Asia/Macau", holidays: macaoHolidays },
    publishedAt: "17:00",
    parse: parseAmcm,
  },
  {
    key: "bnm",
    name: "Bank Negara Malaysia",
    country: "MY",
    addresses: [
      () => ({
        address: "https://api.bnm.gov.my/public/exchange-rate?session=0900&quote=rm",
        headers: { accept: "application/vnd.BNM.API.v1+json" },
      }),
    ],
    // The rates of the session at 9:00 of a working day, for which the bank names no time.
    schedule: { cron: "0 10 * * 1-5", timeZone: "Asia/Kuala_Lumpur", holidays: malaysianHolidays },
    publishedAt: "09:00",
    parse: parseBnm,
  },
  boi,
  boj,
  cbc,
  cfets,
  bot,
  nrb,
  mas,
];
