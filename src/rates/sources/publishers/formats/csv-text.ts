import { parse } from "csv-parse/sync";
import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import { ParseError, type PublisherResponse } from "../publisher.ts";
import { utf8TextOf } from "./source-lines.ts";

/**
 * Parses a CSV response (RFC 4180) under a header, and keeps every field as it is written.
 *
 * @param columns the columns to return of each row, in any order in the response.
 * @param delimiter what separates them; by default a comma.
 * @throws {ParseError} the body is not CSV in UTF-8, is cut short, or lacks one of the columns.
 */
export function parseCsvText<Column extends string>(
  response: PublisherResponse | undefined,
  columns: readonly Column[],
  delimiter = ",",
): readonly Partial<Record<Column, string>>[] {
  const text = utf8TextOf(response?.body);
  // A truncated figure would be read as a shorter one.
  if (!text.endsWith("\n")) throw new ParseError("the body is cut short: its last line has no end");
  const [header = [], ...records] = recordsOf(text, delimiter);
  const missing = columns.filter((column) => !header.includes(column));
  if (missing.length > 0) {
    throw new ParseError(`the layout has changed: no column ${missing.join(", ")}`);
  }
  return records.map((record) => {
    const row: Partial<Record<Column, string>> = {};
    for (const column of columns) row[column] = record[header.indexOf(column)] ?? "";
    return row;
  });
}

function recordsOf(text: string, delimiter: string): readonly string[][] {
  try {
    return parse(text, { delimiter, skip_empty_lines: true });
  } catch (error) {
    throw new ParseError(`the body is not CSV: ${quoted(text.trimStart())}`, error);
  }
}
