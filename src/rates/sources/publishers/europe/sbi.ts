import type { SourceLine } from "../../../served/rules/rate.ts";
import { isoDateOfMonthFirst } from "../formats/notation.ts";
import { lineOf, withoutEndedSeries } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";

/**
 * The bank names a series by its number and by the currency's name in Icelandic. These are the
 * middle rates of the groups 9 and 7; those of the other numbers ended with their currencies, or,
 * for buying and selling, in 2020.
 */
const SERIES: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ 4055: "USD", 4061: "DKK", 4064: "EUR", 4085: "JPY", 4088: "CAD" }),
  ...Object.entries({ 4091: "NOK", 4097: "XDR", 4103: "GBP", 4106: "CHF", 4109: "SEK" }),
  ...Object.entries({ 29: "CNY", 31: "PLN", 35: "NGN", 36: "TWD", 37: "KRW", 38: "SRD" }),
  ...Object.entries({ 39: "AUD", 40: "NZD", 41: "HKD", 42: "HUF", 43: "ILS", 44: "ZAR" }),
  ...Object.entries({ 45: "SGD", 46: "MXN", 48: "TRY", 50: "INR", 52: "CZK", 53: "BRL" }),
  ...Object.entries({ 74: "THB", 288: "JMD", 3503: "SAR", 19254: "KWD" }),
]);

/**
 * Reads the Central Bank of Iceland's time series (sedlabanki.is, xmltimeseries): the krónur per
 * unit of a currency.
 */
export const parseSbi: Parse = (responses, momentOf) =>
  responses.flatMap((response, place) => {
    const lines = elementsAt(parseXmlText(response, "Group"), "TimeSeries").flatMap((series) => {
      const base = SERIES.get(series.attributes.ID ?? "");
      if (base === undefined) return [];
      return elementsAt(series, "TimeSeriesData", "Entry").map((entry): SourceLine => {
        // As in 3/24/2026 12:00:00 AM, whose midnight stands for no time.
        const date = textAt(entry, "Date")?.replace(/ 12:00:00 AM$/, "");
        const asOf = momentOf(isoDateOfMonthFirst(date));
        const rate = textAt(entry, "Value");
        const line = lineOf({ base, quote: "ISK", rate, asOf });
        return { ...line, place };
      });
    });
    // Without this check, the other group would hide that this one is empty.
    if (lines.length === 0 || response === undefined) {
      throw new ParseError("no rates in the response: a group is empty");
    }
    return withoutEndedSeries(lines, response);
  });
