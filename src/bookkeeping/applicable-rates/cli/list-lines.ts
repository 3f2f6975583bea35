import { CommandError } from "../../../platform/cli/command.ts";
import { isDate } from "../../../platform/shared/instant.ts";
import {
  BROKEN_QUOTING,
  type Separator,
  splitFields,
} from "../../../platform/shared/text/csv-fields.ts";
import { quoted } from "../../../platform/shared/text/visible-text.ts";
import type { NumberedLine } from "./arguments.ts";

// A list as accountants export it: its header names the columns that count, in any order.

/** What Kurs reads from a column. */
export type Meaning =
  | ("date" | "base" | "quote" | "currency" | "amount" | "preset")
  | ("rate" | "source" | "kind" | "published_for");

/** What a command reads from its lists. */
export interface ListForm {
  readonly meanings: readonly Meaning[];
  /** How many of them, at least and at most, a list without a header has in this order. */
  readonly plain: readonly [least: number, most: number];
  /** The columns that a header must name. */
  readonly columns: string;
}

/** What the columns of a list mean. */
export interface ListHeader {
  readonly separator: Separator;
  /** The column of each meaning, from 0. */
  readonly places: ReadonlyMap<Meaning, number>;
  /** The names of the columns that are carried through, each with its column. */
  readonly others: readonly (readonly [name: string, column: number])[];
  readonly columnCount: number;
  /** Undefined where the first line is no header, but the first of the list. */
  readonly line: number | undefined;
}

/** A line of a list by its header. */
export interface ListLine {
  readonly line: number;
  readonly cells: Readonly<Partial<Record<Meaning, string>>>;
  readonly others: Readonly<Record<string, string>>;
  /** Why the line has no cells. */
  readonly problem?: string;
}

const LINE_FORM = "the line must be DATE,BASE,QUOTE, such as 2026-03-16,EUR,PLN";

/** Parses `date=Belegdatum,amount=Betrag`. @throws {CommandError} it is of another form. */
export function parseColumns(
  text: string | undefined,
  { meanings }: ListForm,
): ReadonlyMap<Meaning, string> {
  if (text === undefined) return new Map();
  const columns = text.split(",").map((part): readonly [Meaning, string] => {
    const [name = "", ...header] = part.split("=").map((one) => one.trim());
    const meaning = meanings.find((one) => one === name.toLowerCase());
    if (meaning !== undefined && header.length === 1 && header[0]) return [meaning, header[0]];
    const wanted = `must be NAME=HEADER with one of ${meanings.join(", ")}`;
    throw new CommandError(`--columns ${quoted(part)}: ${wanted}`, 2);
  });
  return new Map(columns);
}

/**
 * Reads the first line: the header or, without one, the first of the list.
 *
 * @param renamed the headers of the columns that the list names otherwise.
 * @throws {CommandError} it is a header without the columns that count.
 */
export function readListHeader(
  first: NumberedLine,
  renamed: ReadonlyMap<Meaning, string>,
  form: ListForm,
): ListHeader {
  if ("reason" in first) throw new CommandError(`line ${first.line}: ${first.reason}`);
  const headers = ([";", ","] as const).map((separator) =>
    headerBy(separator, first, renamed, form),
  );
  const header = headers.find(({ places }) => places.has("date")) ?? headers[0];
  if (header !== undefined && renamed.size === 0 && !header.places.has("date")) {
    const separator = first.text.includes(";") ? ";" : ",";
    const cells = splitCells(first.text, separator) ?? [];
    if (cells.some((cell) => readListDate(cell) !== undefined)) {
      const count = Math.min(Math.max(cells.length, form.plain[0]), form.plain[1]);
      const places = new Map(form.meanings.slice(0, count).map((name, column) => [name, column]));
      return { separator, places, others: [], columnCount: places.size, line: undefined };
    }
  }
  requireColumns(header?.places ?? new Map(), renamed, form);
  return header as ListHeader;
}

function headerBy(
  separator: Separator,
  { line, text }: { readonly line: number; readonly text: string },
  renamed: ReadonlyMap<Meaning, string>,
  { meanings }: ListForm,
): ListHeader {
  const names = splitCells(text, separator) ?? [];
  const lower = names.map((name) => name.toLowerCase());
  const places = new Map<Meaning, number>();
  for (const meaning of meanings) {
    const wanted = (renamed.get(meaning) ?? meaning).toLowerCase();
    const column = lower.indexOf(wanted);
    if (column === -1) continue;
    if (lower.lastIndexOf(wanted) !== column) {
      throw new CommandError(`the header has the column ${quoted(wanted)} twice: rename one`);
    }
    places.set(meaning, column);
  }
  const used = new Set(places.values());
  const others = names.flatMap((name, column) =>
    used.has(column) ? [] : [[nameOnce(name, column, lower), column] as const],
  );
  return { separator, places, others, columnCount: names.length, line };
}

/** Two columns of one name, or of none, are told apart by their numbers. */
function nameOnce(name: string, column: number, lower: readonly string[]): string {
  const isUnique = name !== "" && lower.indexOf(name.toLowerCase()) === column;
  return isUnique ? name : `${name} column ${column + 1}`.trim();
}

function requireColumns(
  places: ReadonlyMap<Meaning, number>,
  renamed: ReadonlyMap<Meaning, string>,
  { meanings, columns }: ListForm,
): void {
  const lacks = [...renamed].find(([meaning]) => !places.has(meaning));
  if (lacks !== undefined) {
    throw new CommandError(`the first line has no column ${quoted(lacks[1])}: check --columns`);
  }
  const has = (...names: readonly Meaning[]) => names.every((name) => places.has(name));
  if (has("currency") && (has("base") || has("quote"))) {
    throw new CommandError("the list has base, quote and currency: rename currency, or the others");
  }
  const isRated = has("rate") || !meanings.includes("rate");
  if (isRated && has("date") && (has("currency") || has("base", "quote"))) return;
  const wanted = `the first line must name the columns ${columns}`;
  throw new CommandError(`${wanted}: rename them, or pass --columns "date=Belegdatum"`);
}

/** Reads a line by the header. */
export function readListLine(line: NumberedLine, header: ListHeader): ListLine {
  const { separator, places, others, columnCount } = header;
  const cells = "reason" in line ? undefined : splitCells(line.text, separator);
  const read = (column: number) => cells?.[column] ?? "";
  const found = {
    line: line.line,
    cells: Object.fromEntries(places.entries().map(([name, column]) => [name, read(column)])),
    others: Object.fromEntries(others.map(([name, column]) => [name, read(column)])),
  };
  if ("reason" in line) return { ...found, problem: line.reason };
  if (cells === undefined) return { ...found, problem: BROKEN_QUOTING };
  if (cells.length === columnCount) return found;
  if (columnCount === 3 && places.has("quote")) return { ...found, problem: LINE_FORM };
  const problem = `the line has ${cells.length} cells, the header ${columnCount}`;
  return { ...found, problem };
}

const splitCells = (text: string, separator: Separator) =>
  splitFields(text, separator)?.map((cell) => cell.trim());

/** Reads a date as 2024-10-16, 16.10.2024 or 6.1.2024; undefined for anything else. */
export function readListDate(text: string): string | undefined {
  const date = isoForm(text);
  return isDate(date) ? date : undefined;
}

/** A date in any of those forms as 2024-10-16, also of a day that does not exist. */
export function isoForm(text: string): string {
  const [, day = "", month = "", year = ""] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  return year === "" ? text : `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}
