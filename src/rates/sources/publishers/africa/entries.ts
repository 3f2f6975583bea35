import { parseHolidays } from "../../rules/holidays.ts";
import { jsonRows } from "../formats/json-text.ts";
import { withoutMidnight } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";
import { bam } from "./bam.ts";
import { bfm } from "./bfm.ts";
import { cbk } from "./cbk.ts";
import { cbn } from "./cbn.ts";
import { nbe } from "./nbe.ts";

/** The series, by the code in their address: most are in units of a currency per rand. */
const SARB_SERIES = ["EXCX135D", "EXCZ001D", "EXCZ002D", "EXCB120D"] as const;

/** Which pair a series is, by its name. */
const SARB_PAIRS: ReadonlyMap<string | undefined, readonly [base: string, quote: string]> = new Map(
  [
    ["Rand per US Dollar", ["USD", "ZAR"]],
    ["Rand per British Pound", ["GBP", "ZAR"]],
    ["Rand per Euro", ["EUR", "ZAR"]],
    ["Japan: Yen per Rand", ["ZAR", "JPY"]],
  ],
);

/**
 * Reads the South African Reserve Bank's weighted averages of the banks' rates
 * (custom.resbank.co.za, GetTimeseriesObservations): a response for each series of several days.
 */
const parseSarb: Parse = ([response], momentOf) =>
  jsonRows(response).map(({ Timeseries: name, Period, Value: rate }) => {
    const [base, quote] = SARB_PAIRS.get(name) ?? [];
    return lineOf({ base, quote, rate, asOf: momentOf(withoutMidnight(Period)) }, name);
  });

const SARB = "https://custom.resbank.co.za/SarbWebApi/WebIndicators/Shared";

/** By the Public Holidays Act 36 of 1994; after one on a Sunday, the Monday is one too. */
const southAfricanHolidays = parseHolidays(`2000-:
  01-01, 03-21, 04-27, 05-01, 06-16, 08-09, 09-24, 12-16, easter-2, easter+1, 12-25, 12-26,
  2026-08-10, 2027-03-22, 2027-12-27`);

/** Central banks of Africa. */
export const africanPublishers: readonly Entry[] = [
  {
    key: "sarb",
    name: "South African Reserve Bank",
    country: "ZA",
    addresses: { latestDays: 14 },
    // "Current Market Rates": "Weighted average of the banks' daily rates at approximately
    // 10:30am".
    schedule: {
      cron: "0 12 * * 1-5",
      timeZone: "Africa/Johannesburg",
      holidays: southAfricanHolidays,
    },
    publishedAt: "10:30",
    parse: parseSarb,
    archive: {
      since: "2000-01-03",
      requestsBy: "year",
      addresses: ({ from, to }) =>
        SARB_SERIES.map((series) => `${SARB}/GetTimeseriesObservations/${series}/${from}/${to}`),
    },
  },
  bam,
  cbn,
  cbk,
  nbe,
  bfm,
];
