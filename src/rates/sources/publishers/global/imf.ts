import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import type { SourceLine } from "../../../served/rules/rate.ts";
import { decimalWithoutCommas, isoDateOfMonthFirst } from "../formats/notation.ts";
import { lineOf, unknownCurrency, utf8TextOf } from "../formats/source-lines.ts";
import { type Parse, ParseError } from "../publisher.ts";
import { fundCurrencies } from "./fund-currencies.ts";

const SDR = "XDR";

/**
 * Reads the International Monetary Fund's two tables of the last five days (imf.org,
 * rms_five.aspx): the special drawing rights for one unit of a currency, and the units of a
 * currency for one special drawing right, both as the Fund states them.
 */
export const parseImf: Parse = ([response], momentOf) => {
  const text = utf8TextOf(response?.body);
  // The note after the last table: without it, the response may be cut short.
  if (!text.includes("of each national currency, rounded to six significant digits.")) {
    throw new ParseError("the body is cut short: its last note is missing");
  }
  let title = "";
  let dates: readonly string[] = [];
  const lines: SourceLine[] = [];
  for (const row of text.split("\n")) {
    const [name = "", ...cells] = row.split("\t");
    if (cells.length === 0) title = name === "" ? title : name;
    else if (name === "Currency") dates = cells.map(isoDateOfMonthFirst);
    else lines.push(...linesOfRow(title, name, cells, (column) => momentOf(dates[column] ?? "")));
  }
  return lines;
};

function linesOfRow(
  title: string,
  name: string,
  cells: readonly string[],
  asOfIn: (column: number) => ReturnType<Parameters<Parse>[1]>,
): readonly SourceLine[] {
  const currency = fundCurrencies.get(name);
  if (currency === undefined) return [unknownCurrency(name)];
  const isPerSdr = title.startsWith("Currency units per SDR");
  if (!isPerSdr && !title.startsWith("SDRs per Currency unit")) {
    throw new ParseError(`the layout has changed: a table is named ${quoted(title)}`);
  }
  const pair = isPerSdr ? { base: SDR, quote: currency } : { base: currency, quote: SDR };
  return cells.flatMap((cell, column) => {
    // A rate that no central bank reported for the day.
    if (cell.trim() === "" || cell === "NA") return [];
    return [lineOf({ ...pair, rate: decimalWithoutCommas(cell), asOf: asOfIn(column) })];
  });
}
