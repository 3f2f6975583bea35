import { counted } from "../../../platform/shared/text/counted.ts";
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

/** Spreadsheets write semicolons where the comma separates decimals. */
type Separator = "," | ";";

const HEADER_WANTED = `the first line must name the columns ${COLUMN_NAMES.join(",")}`;

const BROKEN_QUOTING =
  "broken quoting: a quoted field starts and ends with a quote, and a quote within it is doubled";

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
      const header = await readHeader(first);
      if ("reason" in header) {
        yield [{ line: first.line, reason: header.reason }];
        return;
      }
      columns = header;
      rows = lines.slice(1);
    }
    if (columns !== undefined && rows.length > 0) yield await readRows(rows, columns);
  }
  if (columns === undefined) yield [{ line: 1, reason: `the file is empty: ${HEADER_WANTED}` }];
};

async function readHeader(line: TextLine): Promise<Columns | { readonly reason: string }> {
  if ("reason" in line) return { reason: `${line.reason}: ${HEADER_WANTED}` };
  const separator = line.text.includes(";") && !line.text.includes(",") ? ";" : ",";
  if (!isWellFormed(line.text, separator)) {
    return { reason: `${BROKEN_QUOTING}; ${HEADER_WANTED}` };
  }

  const [fields = []] = await splitFields([line.text], separator);
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

async function readRows(lines: readonly TextLine[], columns: Columns): Promise<RateLine[]> {
  const texts: string[] = [];
  for (const line of lines) {
    if ("text" in line && isWellFormed(line.text, columns.separator)) texts.push(line.text);
  }
  const rows = await splitFields(texts, columns.separator);
  let next = 0;
  return lines.map((line) => {
    if ("reason" in line) return line;
    if (!isWellFormed(line.text, columns.separator)) {
      return { line: line.line, reason: BROKEN_QUOTING };
    }
    const row = rows[next++] ?? [];
    if (mayBeCut(line, columns)) return cutLine(line.line, columns);
    return rateLineOf(line.line, row, columns);
  });
}

/** What is left of these when a file is cut may be valid: 149 of 149.87, USD of USDT. */
const VALID_WHEN_CUT: readonly string[] = ["base", "quote", "rate"];

/** A closing quote shows the end of a field. A cut `as_of` is no time: it ends with its zone. */
function mayBeCut({ text, isUnfinished }: ReadTextLine, { last }: Columns): boolean {
  return isUnfinished === true && VALID_WHEN_CUT.includes(last) && !text.endsWith('"');
}

function cutLine(line: number, { last }: Columns): RateLine {
  const advice = "end a complete line with a line feed";
  return { line, reason: `no line feed follows, so the ${last} may be cut off: ${advice}` };
}

function rateLineOf(line: number, row: readonly string[], columns: Columns): RateLine {
  if (row.length !== columns.count) {
    const reason = `the line has ${counted(row.length, "field")}, the header ${columns.count}`;
    return { line, reason };
  }
  return {
    line,
    base: row[columns.base] ?? "",
    quote: row[columns.quote] ?? "",
    rate: row[columns.rate] ?? "",
    asOf: row[columns.asOf] ?? "",
  };
}

const quotedRows: Record<Separator, RegExp> = {
  ",": /^(?:[^",]*|"(?:[^"]|"")*")(?:,(?:[^",]*|"(?:[^"]|"")*"))*$/,
  ";": /^(?:[^";]*|"(?:[^"]|"")*")(?:;(?:[^";]*|"(?:[^"]|"")*"))*$/,
};

/**
 * The parser cannot resume after broken quoting: it stops, or reads the lines up to the next quote
 * as one field. So it gets no such line.
 */
function isWellFormed(text: string, separator: Separator): boolean {
  return !text.includes('"') || quotedRows[separator].test(text);
}

/**
 * Returns one row of fields per text. The texts must be well formed, without a line feed. Without a
 * quote, every separator separates two fields: the parser takes a tenth of an import's time.
 */
async function splitFields(texts: readonly string[], separator: Separator): Promise<string[][]> {
  if (!texts.some((text) => text.includes('"'))) return texts.map((text) => text.split(separator));
  const { parse } = await import("csv-parse");
  const options = {
    ...{ delimiter: separator, record_delimiter: "\n" },
    ...{ relax_column_count: true, max_record_size: 0 },
  };
  return new Promise((resolve, reject) => {
    parse(texts.join("\n"), options, (error, rows) => {
      if (error === undefined && rows.length === texts.length) resolve(rows);
      else reject(error ?? new Error(`${texts.length} lines gave ${rows.length} rows`));
    });
  });
}
