import { type Command, Option } from "commander";
import { parseDates, parseMoment, requireOrder } from "../../../platform/cli/dates.ts";
import { type ListOptions, listFormats, writeList } from "../../../platform/cli/list-writer.ts";
import { type Column, shortHash } from "../../../platform/cli/output.ts";
import { pagesOf } from "../../../platform/shared/pages.ts";
import { figureJson } from "../../../rates/series/json.ts";
import type { StoredFigure } from "../../../rates/series/store.ts";
import { requirePair, shortAsOf } from "../../../rates/served/cli/arguments.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import { readFigures } from "../figures.ts";
import { observationJson } from "../json.ts";
import type { Observation, ObservationRange, ObservationReads } from "../observations.ts";
import { firstObservation } from "../served-at.ts";
import {
  askedSeries,
  isOfSeries,
  kindOption,
  noHistory,
  type ProvenanceCommandDeps,
  type SeriesOptions,
  sourceOption,
} from "./arguments.ts";

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
        ? showSeries(deps, requirePair(base, quote), options)
        : showHistory(deps, requirePair(base, quote), options),
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
  const range = readRange(options);
  await using store = await openStore();
  const { history } = store;
  if ((await firstObservation(history, pair)) === undefined) throw noHistory(pair);
  const pages = readObservations(history, pair, range);
  if (await writeList(pages, options, historyFormat, write)) {
    printError(`No rate of ${pairName(pair)} has an as_of in this range.`);
  }
}

function readRange({ from, to }: HistoryOptions): ObservationRange {
  const first = from === undefined ? undefined : parseMoment("--from", from, "start");
  const last = to === undefined ? undefined : parseMoment("--to", to, "end");
  return requireOrder({ from: first, to: last }, { from, to });
}

const readObservations = (history: ObservationReads, pair: Pair, range: ObservationRange) =>
  pagesOf(
    0,
    (after, limit) => history.observations(pair, { ...range, after, limit }),
    ({ sequence }) => sequence,
  );

const historyFormat = {
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

interface ShownSeries extends ListOptions, SeriesOptions {
  readonly source: string;
  readonly from?: string;
  readonly to?: string;
}

/** Shows a series by the publisher's dates, with its amendments. */
async function showSeries(
  deps: ProvenanceCommandDeps,
  pair: Pair,
  options: ShownSeries,
): Promise<void> {
  const { openStore, write, printError } = deps;
  const range = parseDates(options);
  await using store = await openStore();
  const series = await askedSeries(store.series, pair, options, deps);
  const pages = readFigures(store.series, series, range);
  if (await writeList(pages, options, seriesFormat, write)) {
    printError(`${series.source} has no figure of ${pairName(pair)} in this range of dates.`);
  }
}

const seriesFormat = {
  columns: [
    ["DATE", ({ date }) => date],
    ["RATE", ({ rate }) => rate, "right"],
    ["AS OF", shortAsOf],
    ["REVISION", ({ revision }) => revision, "right"],
    ["STORED", ({ storedAt }) => storedAt],
    ["DOCUMENT", ({ hash }) => shortHash(hash)],
  ] as readonly Column<StoredFigure>[],
  csvColumns: [
    ...(["base", "quote", "rate", "as_of", "source", "kind", "date", "valid_until"] as const),
    ...(["revision", "stored_at", "document"] as const),
  ],
  toJson: figureJson,
} as const;
