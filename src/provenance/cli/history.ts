import { type Command, Option } from "commander";
import { CommandError } from "../../cli/command.ts";
import { csvLine } from "../../cli/csv.ts";
import { type Column, createJsonPrinter, createTable } from "../../cli/output.ts";
import { pairOf, type RateCommandDeps, shortAsOf } from "../../rates/cli/arguments.ts";
import { type Pair, pairName } from "../../rates/rules/symbol.ts";
import { PAGE_ROWS } from "../../shared/page-size.ts";
import { observationJson } from "../json.ts";
import type { Observation, ObservationRange, ObservationReads } from "../observations.ts";
import { firstOf } from "../served-at.ts";
import { instantOf, shortHash } from "./moments.ts";

const formats = ["table", "csv", "ndjson"] as const;

interface HistoryOptions {
  readonly from?: string;
  readonly to?: string;
  readonly format: (typeof formats)[number];
  readonly json?: boolean;
}

/** Adds `kurs rates history`. */
export function historyCommand(rates: Command, deps: RateCommandDeps): void {
  rates
    .command("history")
    .description("show every rate of a pair that was accepted, in the order of acceptance")
    .argument("<base>")
    .argument("<quote>")
    .option("--from <time>", "only rates with this as_of or a later one; a date means its start")
    .option("--to <time>", "only rates with this as_of or an earlier one; a date means its end")
    .addOption(new Option("--format <format>", "how to print").choices(formats).default("table"))
    .addOption(new Option("--json", "print it as a JSON array").conflicts("format"))
    .addHelpText("after", historyExamples)
    .action((base: string, quote: string, options: HistoryOptions) =>
      showHistory(deps, pairOf(base, quote), options),
    );
}

const historyExamples = `
Dates and times without a zone are not accepted; a date is a day in UTC. A rate is served from
"stored_at" until the next one is stored; kurs rates at says what was served at a moment. "document"
is the SHA-256 of the document that states the rate. kurs rates import reads the CSV and the NDJSON.

Examples:
  $ kurs rates history EUR USD
  $ kurs rates history EUR USD --from 2026-01-01 --to 2026-03-31 --format csv > eur-usd.csv
  $ kurs rates history BTC USD --from 2026-03-13T15:00:00Z --json`;

async function showHistory(
  { openStore, write, printError }: RateCommandDeps,
  pair: Pair,
  options: HistoryOptions,
): Promise<void> {
  const range = rangeOf(options);
  await using store = await openStore();
  const { history } = store;
  if ((await firstOf(history, pair)) === undefined) throw noHistory(pair);
  const { begin, textOf, end } = writers[options.json ? "json" : options.format]();
  if (begin !== "") await write(begin);
  let isEmpty = true;
  for await (const page of pagesOf(history, pair, range)) {
    await write(textOf(page));
    isEmpty = false;
  }
  const rest = end();
  if (rest !== "") await write(rest);
  if (isEmpty && options.format === "table" && !options.json) {
    printError(`No rate of ${pairName(pair)} has an as_of in this range.`);
  }
}

/** The failure of a command whose pair was never stored. */
export function noHistory(pair: Pair): CommandError {
  return new CommandError(`there is no history of ${pairName(pair)}: see kurs rates list`);
}

function rangeOf({ from, to }: HistoryOptions): ObservationRange {
  const first = from === undefined ? undefined : instantOf("--from", from, "start");
  const last = to === undefined ? undefined : instantOf("--to", to, "end");
  if (first !== undefined && last !== undefined && first > last) {
    throw new CommandError(`--from ${from} is after --to ${to}: exchange them`, 2);
  }
  return { from: first, to: last };
}

async function* pagesOf(
  history: ObservationReads,
  pair: Pair,
  range: ObservationRange,
): AsyncGenerator<readonly Observation[], void> {
  let after = 0;
  for (;;) {
    const page = await history.observations(pair, { ...range, after, limit: PAGE_ROWS });
    if (page.length > 0) yield page;
    if (page.length < PAGE_ROWS) return;
    after = page.at(-1)?.sequence ?? after;
  }
}

/** Writes observations a page at a time, so that a history of any length needs the same memory. */
interface Writer {
  readonly begin: string;
  readonly textOf: (page: readonly Observation[]) => string;
  readonly end: () => string;
}

const csvColumns = ["base", "quote", "rate", "as_of", "source", "stored_at", "document"] as const;

const tableColumns: readonly Column<Observation>[] = [
  ["RATE", ({ rate }) => rate, "right"],
  ["AS OF", shortAsOf],
  ["SERVED FROM", ({ storedAt }) => storedAt],
  ["SOURCE", ({ source }) => source],
  ["DOCUMENT", ({ hash }) => shortHash(hash)],
];

const writers: Readonly<Record<HistoryOptions["format"] | "json", () => Writer>> = {
  table: () => {
    const rowsOf = createTable(tableColumns);
    return { begin: "", textOf: (page) => `${rowsOf(page)}\n`, end: () => "" };
  },
  csv: () => ({
    begin: csvLine(csvColumns),
    textOf: (page) =>
      page
        .map((observation) => {
          const row = observationJson(observation);
          return csvLine(csvColumns.map((column) => row[column]));
        })
        .join(""),
    end: () => "",
  }),
  ndjson: () => ({
    begin: "",
    textOf: (page) => page.map((one) => `${JSON.stringify(observationJson(one))}\n`).join(""),
    end: () => "",
  }),
  json: () => {
    let text = "";
    const printer = createJsonPrinter((printed) => {
      text += `${printed}\n`;
    });
    const take = () => {
      const taken = text;
      text = "";
      return taken;
    };
    return {
      begin: "",
      textOf: (page) => {
        printer.add(page.map(observationJson));
        return take();
      },
      end: () => {
        printer.end();
        return take();
      },
    };
  },
};
