import { quoted } from "../../../shared/text/visible-text.ts";
import { parseCsvText } from "../formats/csv-text.ts";
import { lineOf, utf8TextOf, withoutEndedSeries } from "../formats/source-lines.ts";
import { type Parse, ParseError } from "../publisher.ts";

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The trade-weighted index: listed among the currencies, but not an exchange rate. */
const INDEX = "Index";

/**
 * Reads the Reserve Bank of Australia's table F11.1 (rba.gov.au, tables/csv/f11.1-data.csv): the
 * `Units` per Australian dollar of every business day. Its series are described above the table.
 */
export const parseRba: Parse = ([response], momentOf) => {
  if (response === undefined) return [];
  const text = utf8TextOf(response.body);
  const units = /^Units,(.+)$/m.exec(text)?.[1]?.trimEnd().split(",");
  const header = /^Series ID,(.+)$/m.exec(text);
  if (units === undefined || header?.[1] === undefined) {
    throw new ParseError("the layout has changed: no line of Units or of Series ID");
  }
  const series = header[1].trimEnd().split(",");
  const table = { ...response, body: Buffer.from(text.slice(header.index)) };
  const lines = parseCsvText(table, ["Series ID", ...series]).flatMap((row) => {
    const asOf = momentOf(dateOf(row["Series ID"]));
    return series.flatMap((name, index) => {
      const rate = row[name];
      const quote = units[index] === "SDR" ? "XDR" : units[index];
      // A currency that is not published has an empty field.
      if (rate === "" || quote === INDEX) return [];
      return [lineOf(`the series ${quoted(name)}`, { base: "AUD", quote, rate, asOf })];
    });
  });
  return withoutEndedSeries(lines, response);
};

/** Rewrites a date such as `20-Mar-2026`. */
function dateOf(text = ""): string {
  const [, day, name = "", year] = /^([0-9]{2})-([A-Z][a-z]{2})-([0-9]{4})$/.exec(text) ?? [];
  const month = MONTHS.indexOf(name) + 1;
  return `${year}-${String(month).padStart(2, "0")}-${day}`;
}
