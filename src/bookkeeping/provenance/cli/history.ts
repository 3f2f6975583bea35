import { type Command, Option } from "commander";
import { CommandError } from "../../../platform/cli/command.ts";
import { parseMoment, requireOrder } from "../../../platform/cli/dates.ts";
import { type ListOptions, listFormats, writeList } from "../../../platform/cli/list-writer.ts";
import { type Column, shortHash } from "../../../platform/cli/output.ts";
import { pagesOf } from "../../../platform/shared/pages.ts";
import { pairOf, shortAsOf } from "../../../rates/served/cli/arguments.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import { observationJson } from "../json.ts";
import type { Observation, ObservationRange, ObservationReads } from "../observations.ts";
import { firstOf } from "../served-at.ts";
import type { ProvenanceCommandDeps } from "./dependencies.ts";
import { isOfSeries, kindOption, type SeriesOptions, showSeries, sourceOption } from "./series.ts";

interface HistoryOptions extends ListOptions, SeriesOptions {
  readonly from?: string;
  readonly to?: string;
}

/** Adds `kurs rates history`. */
export function historyCommand(rates: Command, deps: ProvenanceCommandDeps): void {
  rates
    .command("history")
    .description("show every rate of a pair that was accepted, in the order of acceptance")
    .argument("<base>")
    .argument("<quote>")
    .option("--from <time>", "only rates with this as_of or a later one; a date means its start")
    .option("--to <time>", "only rates with this as_of or an earlier one; a date means its end")
    .addOption(sourceOption("all figures of this source by its dates, served or not"))
    .addOption(kindOption())
    .addOption(
      new Option("--format <format>", "how to print").choices(listFormats).default("table"),
    )
    .addOption(new Option("--json", "print it as a JSON array").conflicts("format"))
    .addHelpText("after", historyExamples)
    .action((base: string, quote: string, options: HistoryOptions) =>
      isOfSeries(options)
        ? showSeries(deps, pairOf(base, quote), options)
        : showHistory(deps, pairOf(base, quote), options),
    );
}

const historyExamples = `
Dates and times without a zone are not accepted; a date is a day in UTC. A rate is served from
"stored_at" until the next one is stored; kurs rates at says what was served at a moment. "document"
is the SHA-256 of the document that states the rate. kurs rates import reads the CSV and the NDJSON.
With --source it shows what one source published, by the publisher's own dates, which --from and
--to then mean. A revision above 1 amends the one before it.

Examples:
  $ kurs rates history EUR USD
  $ kurs rates history EUR USD --from 2026-01-01 --to 2026-03-31 --format csv > eur-usd.csv
  $ kurs rates history BTC USD --from 2026-03-13T15:00:00Z --json
  $ kurs rates history EUR USD --source ecb --from 1999-01-04 --format csv`;

async function showHistory(
  { openStore, write, printError }: ProvenanceCommandDeps,
  pair: Pair,
  options: HistoryOptions,
): Promise<void> {
  const range = rangeOf(options);
  await using store = await openStore();
  const { history } = store;
  if ((await firstOf(history, pair)) === undefined) throw noHistory(pair);
  const pages = observationsOf(history, pair, range);
  if (await writeList(pages, options, rowFormat, write)) {
    printError(`No rate of ${pairName(pair)} has an as_of in this range.`);
  }
}

/** The failure of a command whose pair was never stored. */
export function noHistory(pair: Pair): CommandError {
  return new CommandError(`there is no history of ${pairName(pair)}: see kurs rates list`);
}

function rangeOf({ from, to }: HistoryOptions): ObservationRange {
  const first = from === undefined ? undefined : parseMoment("--from", from, "start");
  const last = to === undefined ? undefined : parseMoment("--to", to, "end");
  return requireOrder({ from: first, to: last }, { from, to });
}

const observationsOf = (history: ObservationReads, pair: Pair, range: ObservationRange) =>
  pagesOf(
    0,
    (after, limit) => history.observations(pair, { ...range, after, limit }),
    ({ sequence }) => sequence,
  );

const rowFormat = {
  columns: [
    ["RATE", ({ rate }) => rate, "right"],
    ["AS OF", shortAsOf],
    ["SERVED FROM", ({ storedAt }) => storedAt],
    ["SOURCE", ({ source }) => source],
    ["DOCUMENT", ({ hash }) => shortHash(hash)],
  ] as readonly Column<Observation>[],
  csvColumns: ["base", "quote", "rate", "as_of", "source", "stored_at", "document"],
  toJson: observationJson,
} as const;
