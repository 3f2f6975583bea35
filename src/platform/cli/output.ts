import { DAY_MS, HOUR_MS } from "../shared/clock.ts";
import { visibleLine } from "../shared/text/visible-text.ts";
import type { OutputOptions } from "./command.ts";

/** A column of a table: its heading, its content in a row, and its alignment if not left. */
export type Column<Row> = readonly [
  heading: string,
  cell: (row: Row) => string | number,
  align?: "right",
];

/** Lays rows out in columns two spaces apart, under their headings. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return createTable(columns)(rows);
}

/**
 * Lays out a table of any length a page at a time: the first has the headings, and no column
 * becomes narrower than in the pages before.
 */
export function createTable<Row>(
  columns: readonly Column<Row>[],
): (rows: readonly Row[]) => string {
  const widths = columns.map(() => 0);
  let headings = columns.map(([heading]) => [heading]);
  return (rows) => {
    const padded = columns.map(([, cell, align], column) => {
      const contents = [...(headings[column] ?? []), ...rows.map(cell)];
      const texts = contents.map((content) => visibleLine(String(content)));
      const width = texts.reduce((most, { length }) => Math.max(most, length), widths[column] ?? 0);
      widths[column] = width;
      return texts.map((text) => (align === "right" ? text.padStart(width) : text.padEnd(width)));
    });
    headings = [];
    const lines = (padded[0] ?? []).map((_, line) => padded.map((texts) => texts[line]));
    return lines.map((cells) => cells.join("  ").trimEnd()).join("\n");
  };
}

/** How to print a list: as JSON, as a table, or `none` in place of an empty table. */
export interface ListFormat<Item> {
  readonly toJson: (item: Item) => object;
  readonly columns: readonly Column<Item>[];
  readonly none: string;
}

export function formatList<Item>(
  items: readonly Item[],
  { json }: OutputOptions,
  { toJson, columns, none }: ListFormat<Item>,
): string {
  if (json) return formatJson(items.map(toJson));
  return items.length === 0 ? none : table(columns, items);
}

/** The form of --json for lists and records; reports of one line are printed on one line. */
export function formatJson(value: object): string {
  return JSON.stringify(value, undefined, 2);
}

const MINUTE_MS = 60_000;

/** @returns how long ago an RFC 3339 time was, in its largest whole unit: `3 h`, `250 d`. */
export function ageOf(time: string, nowMs: number): string {
  const age = Math.max(nowMs - Date.parse(time), 0);
  if (age >= 2 * DAY_MS) return `${Math.floor(age / DAY_MS)} d`;
  if (age >= 2 * HOUR_MS) return `${Math.floor(age / HOUR_MS)} h`;
  if (age >= 2 * MINUTE_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  return `${Math.floor(age / 1000)} s`;
}

/** A short form of a digest, for people. */
export function shortHash(hash: string | undefined): string {
  return hash === undefined ? "-" : hash.slice(0, 12);
}

/** A duration for a person, in its largest whole unit: `40 s`, `12 min`, `3 h`. */
export function durationText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

const BAR_CHARACTERS = 30;

/** @param part the completed part, from 0 to 1. */
export function progressBar(part: number): string {
  const full = Math.round(part * BAR_CHARACTERS);
  const bar = "█".repeat(full) + "░".repeat(BAR_CHARACTERS - full);
  return `${bar} ${Math.floor(part * 100)} %`;
}

/**
 * Prints an array of JSON objects, each on its own line, as its items arrive: a list of any length
 * needs the memory of a page.
 */
export function createJsonPrinter(print: (text: string) => void, opening = "[") {
  let unprinted = opening;
  let isEmpty = true;
  return {
    add(items: readonly object[]): void {
      if (items.length === 0) return;
      print(isEmpty ? unprinted : `${unprinted},`);
      isEmpty = false;
      unprinted = items.map((item) => JSON.stringify(item)).join(",\n");
    },
    end(closing = "]"): void {
      print(isEmpty ? unprinted + closing : `${unprinted}\n${closing}`);
    },
  };
}
