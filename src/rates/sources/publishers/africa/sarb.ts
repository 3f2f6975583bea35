import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { withoutMidnight } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import { type Parse, ParseError } from "../publisher.ts";

/** The series, by the code in their address: most are in units of a currency per rand. */
export const SARB_SERIES = ["EXCX135D", "EXCZ001D", "EXCZ002D", "EXCB120D"] as const;

/** Which pair a series is, by its name. */
const PAIRS: ReadonlyMap<string | undefined, readonly [base: string, quote: string]> = new Map([
  ["Rand per US Dollar", ["USD", "ZAR"]],
  ["Rand per British Pound", ["GBP", "ZAR"]],
  ["Rand per Euro", ["EUR", "ZAR"]],
  ["Japan: Yen per Rand", ["ZAR", "JPY"]],
]);

/**
 * Reads the South African Reserve Bank's weighted averages of the banks' rates
 * (custom.resbank.co.za, GetTimeseriesObservations): a response for each series of several days.
 */
export const parseSarb: Parse = (responses, momentOf) =>
  responses.flatMap((response, place) => {
    const observations = requireList(parseJsonText(response), "the response");
    // Without this check, the other series would hide that this one is empty.
    if (observations.length === 0) {
      throw new ParseError("no rates in the response: a series is empty");
    }
    return observations.map((observation) => {
      const { Timeseries, Period, Value } = membersOf(observation);
      const name = textOf(Timeseries);
      const [base, quote] = PAIRS.get(name) ?? [];
      const asOf = momentOf(withoutMidnight(textOf(Period)));
      const line = lineOf({ base, quote, rate: textOf(Value), asOf }, name);
      return { ...line, place };
    });
  });
