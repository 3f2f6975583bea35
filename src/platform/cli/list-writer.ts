import { csvLine as lineWithCommas } from "./csv.ts";
import { type Column, createTable } from "./output.ts";

/** The choices of an option `--format`. */
export const listFormats = ["table", "csv", "ndjson"] as const;

/** How to print a list, as the options `--format` and `--json` say. */
export interface ListOptions {
  readonly format: (typeof listFormats)[number];
  readonly json?: boolean;
}

/** What a list shows of a row: in a table, and as JSON. CSV has members of the JSON. */
interface RowFormat<Row, Json extends object> {
  readonly columns: readonly Column<Row>[];
  readonly csvColumns: readonly (keyof Json & string)[];
  readonly toJson: (row: Row) => Json;
  /** Writes a line of CSV; unset: with commas. */
  readonly csvLine?: (cells: readonly string[]) => string;
}

/** Writes rows a page at a time, so that a list of any length needs the same memory. */
interface Writer<Row> {
  readonly begin: string;
  readonly textOf: (page: readonly Row[]) => string;
  readonly end: () => string;
}

/** Writes a list. @returns whether it is an empty table, of which nothing was written. */
export async function writeList<Row, Json extends object>(
  pages: AsyncIterable<readonly Row[]>,
  { format, json }: ListOptions,
  rowFormat: RowFormat<Row, Json>,
  write: (text: string) => Promise<void>,
): Promise<boolean> {
  const { begin, textOf, end } = writers(rowFormat)[json ? "json" : format]();
  if (begin !== "") await write(begin);
  let isEmpty = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    await write(textOf(page));
    isEmpty = false;
  }
  const rest = end();
  if (rest !== "") await write(rest);
  return isEmpty && format === "table" && !json;
}

const writers = <Row, Json extends object>({
  columns,
  csvColumns,
  toJson,
  csvLine = lineWithCommas,
}: RowFormat<Row, Json>): Readonly<Record<ListOptions["format"] | "json", () => Writer<Row>>> => ({
  table: () => {
    const layOut = createTable(columns);
    return { begin: "", textOf: (page) => `${layOut(page)}\n`, end: () => "" };
  },
  csv: () => ({
    begin: csvLine(csvColumns),
    textOf: (page) =>
      page
        .map((row) => {
          const cells = toJson(row);
          return csvLine(csvColumns.map((column) => String(cells[column] ?? "")));
        })
        .join(""),
    end: () => "",
  }),
  ndjson: () => ({
    begin: "",
    textOf: (page) => page.map((row) => `${JSON.stringify(toJson(row))}\n`).join(""),
    end: () => "",
  }),
  json: () => {
    let opening = "[";
    return {
      begin: "",
      textOf: (page) => {
        const text = opening + page.map((row) => JSON.stringify(toJson(row))).join(",\n");
        opening = ",\n";
        return text;
      },
      end: () => (opening === "[" ? "[]\n" : "\n]\n"),
    };
  },
});
