import { counted } from "../../../platform/shared/text/counted.ts";
import {
  BROKEN_QUOTING,
  type Separator,
  splitFields,
} from "../../../platform/shared/text/csv-fields.ts";
import type { RateLine, RateLineReader } from "../../sources/source.ts";
import { type ReadTextLine, readTextLines, type TextLine } from "./text-lines.ts";

const COLUMN_NAMES = ["base", "quote", "rate", "as_of"] as const;

/** The index of each column, the name of the last one, and the number of fields in a row. */
interface Columns {
  readonly base: number;
  readonly quote: number;
  readonly rate: number;
  readonly asOf: number;
  readonly last: string;
  readonly count: number;
  readonly separator: Separator;
}

const HEADER_WANTED = `the first line must name the columns ${COLUMN_NAMES.join(",")}`;

/**
 * Reads rates as comma-separated values (RFC 4180) under a header that names `base`, `quote`,
 * `rate` and `as_of`, in any order and any case. Other columns are ignored. Semicolons
 * may separate the columns, if the header has no comma. No field spans lines, so an unclosed quote
 * affects only its own line. A file that is cut gives no figure or symbol that the whole one does
 * not have.
 */
export const readCsv: RateLineReader = async function* (input) {
  let columns: Columns | undefined;
  for await (const lines of readTextLines(input)) {
    let rows = lines;
    const [first] = lines;
    if (columns === undefined && first !== undefined) {
      const header = readHeader(first);
      if ("reason" in header) {
        yield [{ line: first.line, reason: header.reason }];
        return;
      }
      columns = header;
      rows = lines.slice(1);
    }
    if (columns !== undefined && rows.length > 0) {
      const known = columns;
      yield rows.map((line) => readRow(line, known));
    }
  }
  if (columns === undefined) yield [{ line: 1, reason: `the file is empty: ${HEADER_WANTED}` }];
};

function readHeader(line: TextLine): Columns | { readonly reason: string } {
  if ("reason" in line) return { reason: `${line.reason}: ${HEADER_WANTED}` };
  const separator = line.text.includes(";") && !line.text.includes(",") ? ";" : ",";
  const fields = splitFields(line.text, separator);
  if (fields === undefined) return { reason: `${BROKEN_QUOTING}; ${HEADER_WANTED}` };
  const names = fields.map((field) => field.trim().toLowerCase());
  const missing = COLUMN_NAMES.filter((name) => !names.includes(name));
  if (missing.length === COLUMN_NAMES.length) return { reason: `no header: ${HEADER_WANTED}` };
  if (missing.length > 0) {
    return { reason: `the header lacks ${missing.join(", ")}: ${HEADER_WANTED}` };
  }
  const repeated = COLUMN_NAMES.filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated.length > 0) {
    return { reason: `the header repeats ${repeated.join(", ")}: ${HEADER_WANTED}` };
  }
  return {
    base: names.indexOf("base"),
    quote: names.indexOf("quote"),
    rate: names.indexOf("rate"),
    asOf: names.indexOf("as_of"),
    last: names.at(-1) ?? "",
    count: names.length,
    separator,
  };
}

function readRow(line: TextLine, columns: Columns): RateLine {
  if ("reason" in line) return line;
  const row = splitFields(line.text, columns.separator);
  if (row === undefined) return { line: line.line, reason: BROKEN_QUOTING };
  if (mayBeCut(line, columns)) {
    const advice = "end a complete line with a line feed";
    const reason = `no line feed follows, so the ${columns.last} may be cut off: ${advice}`;
    return { line: line.line, reason };
  }
  if (row.length !== columns.count) {
    const reason = `the line has ${counted(row.length, "field")}, the header ${columns.count}`;
    return { line: line.line, reason };
  }
  return {
    line: line.line,
    base: row[columns.base] ?? "",
    quote: row[columns.quote] ?? "",
    rate: row[columns.rate] ?? "",
    asOf: row[columns.asOf] ?? "",
  };
}

/** What is left of these when a file is cut may be valid: 149 of 149.87, USD of USDT. */
const VALID_WHEN_CUT: readonly string[] = ["base", "quote", "rate"];

/** A closing quote shows the end of a field. A cut `as_of` is no time: it ends with its zone. */
function mayBeCut({ text, isUnfinished }: ReadTextLine, { last }: Columns): boolean {
  return isUnfinished === true && VALID_WHEN_CUT.includes(last) && !text.endsWith('"');
}
