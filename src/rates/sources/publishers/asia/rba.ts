import { parseCsvText } from "../formats/csv-text.ts";
import { isoDateOf } from "../formats/notation.ts";
import { lineOf, utf8TextOf, withoutEndedSeries } from "../formats/source-lines.ts";
import { type Parse, ParseError } from "../publisher.ts";

/** The trade-weighted index: listed among the currencies, but not an exchange rate. */
const INDEX = "Index";

/**
 * Reads the Reserve Bank of Australia's table F11.1 (rba.gov.au, tables/csv/f11.1-data.csv): the
 * `Units` per Australian dollar of every business day. Its series are described above the table.
 */
export const parseRba: Parse = (responses, momentOf) =>
  responses.flatMap((response) =>
    withoutEndedSeries(parseRbaArchive([response], momentOf), response),
  );

/** Reads the same without leaving any series out. */
export const parseRbaArchive: Parse = ([response], momentOf) => {
  if (response === undefined) return [];
  const text = utf8TextOf(response.body);
  const units = /^Units,(.+)$/m.exec(text)?.[1]?.split(",");
  const header = /^Series ID,(.+)$/m.exec(text);
  if (units === undefined || header?.[1] === undefined) {
    throw new ParseError("the layout has changed: no line of Units or of Series ID");
  }
  const series = header[1].split(",");
  const table = { ...response, body: Buffer.from(text.slice(header.index)) };
  return parseCsvText(table, ["Series ID", ...series]).flatMap((row) => {
    const asOf = momentOf(isoDateOf(row["Series ID"]));
    return series.flatMap((name, index) => {
      const rate = row[name];
      const quote = units[index] === "SDR" ? "XDR" : units[index];
      // A currency that is not published has an empty field.
      if (rate === "" || quote === INDEX) return [];
      return [lineOf({ base: "AUD", quote, rate, asOf }, name)];
    });
  });
};
