import { jsonRows } from "../formats/json-text.ts";
import { withoutMidnight } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/** The series, by the code in their address: most are in units of a currency per rand. */
export const SARB_SERIES = ["EXCX135D", "EXCZ001D", "EXCZ002D", "EXCB120D"] as const;

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
export const parseSarb: Parse = ([response], momentOf) =>
  jsonRows(response).map(({ Timeseries: name, Period, Value: rate }) => {
    const [base, quote] = SARB_PAIRS.get(name) ?? [];
    return lineOf({ base, quote, rate, asOf: momentOf(withoutMidnight(Period)) }, name);
  });
