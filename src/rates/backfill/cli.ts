import type { Command } from "commander";
import { sleep } from "../../platform/async/sleep.ts";
import type { EventDetails } from "../../platform/audit/rules.ts";
import type { AuditStore } from "../../platform/audit/store.ts";
import { CommandError, type OpenStore } from "../../platform/cli/command.ts";
import { parseDate, requireOrder } from "../../platform/cli/dates.ts";
import {
  type Column,
  durationText,
  formatJson,
  formatList,
  progressBar,
} from "../../platform/cli/output.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import type { StoreStatus } from "../../platform/shared/store.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { visibleLine } from "../../platform/shared/text/visible-text.ts";
import { type RateCommandDeps, requireKnown } from "../served/cli/arguments.ts";
import type { FigureStore } from "../served/figures.ts";
import type { PackContent } from "../served/history.ts";
import type { ContradictionStore } from "../served/store.ts";
import type { Dates } from "../sources/rules/archive-ranges.ts";
import type { SourceLookup } from "../sources/source.ts";
import {
  type ArchivedSource,
  type Backfill,
  type BackfillProgress,
  type BackfillReport,
  type BackfillReports,
  createBackfill,
} from "./backfill.ts";
import { archiveJson, backfillReportJson, type ListedArchive, secondsOf } from "./json.ts";
import type { BackfillDates, BackfillStore } from "./store.ts";

/** The dependencies of the command that fetches earlier figures. */
export interface BackfillCommandDeps extends Omit<RateCommandDeps, "openStore">, SourceLookup {
  readonly openStore: OpenStore<{
    readonly figures: FigureStore;
    readonly contradictions: ContradictionStore;
    readonly backfills: BackfillStore;
    readonly status: StoreStatus;
    readonly audit: AuditStore;
  }>;
  readonly packContent: PackContent;
  /** @returns a signal that aborts where a signal would have ended the process. */
  readonly untilStopped: () => AbortSignal;
}

/** Rejected lines that are printed of each source; the others are counted. */
const REJECTIONS_SHOWN_MAX = 20;

interface BackfillOptions {
  readonly from?: string;
  readonly to?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Adds `kurs rates backfill`. */
export function backfillCommand(
  rates: Command,
  deps: BackfillCommandDeps,
  setExitCode: (code: number) => void,
): void {
  rates
    .command("backfill")
    .description(
      "fetch the earlier figures of sources; without a source, list those that have some",
    )
    .argument("[source...]", "sources with an archive")
    .option("--from <date>", "the first date, such as 1999-01-04; by default the archive's first")
    .option("--to <date>", "the last date; by default today")
    .option("--all", "every source with an archive, one after the other")
    .option("--json", "print the counts, or the list, as JSON")
    .addHelpText("after", examples)
    .action(async (named: string[], options: BackfillOptions) => {
      const { from, to, all } = options;
      if (all && named.length > 0) throw new CommandError("name sources, or use --all", 2);
      const keys = all ? archivesOf(deps).map(({ key }) => key) : named;
      if (keys.length === 0 && (from ?? to) !== undefined) {
        const why = "--from and --to are for the sources named before them: name one";
        throw new CommandError(why, 2);
      } else if (keys.length === 0) listArchives(deps, options);
      else setExitCode(await backfillSources(deps, keys, options));
    });
}

const RESUME = "the same command resumes it";

const examples = `
The figures are stored beside those that the source has: kurs rates history BASE QUOTE --source
SOURCE shows them. What is served stays as it is. A source need not be in RATE_SOURCES. The command
may run beside servers. Stopped with Ctrl-C or in any other way, the same command continues it; once
it has finished, it fetches everything again, and stores what the publisher has amended. Exit code 1
when some dates could not be fetched, or have no figure although the calendar expects one, or
figures are held.

Examples:
  $ kurs rates backfill
  $ kurs rates backfill ecb
  $ kurs rates backfill --all --from 2020-01-01
  $ kurs rates backfill cnb nbp --from 2020-01-01 --to 2025-12-31`;

/** The sources with an archive, in the order of their precedence. */
const archivesOf = ({ sourcesOf, sourceKeys }: BackfillCommandDeps) =>
  sourcesOf(sourceKeys).flatMap(({ key, name, archive }) =>
    archive === undefined ? [] : [{ key, name, archive }],
  );

const requestsOf = (archive: ArchivedSource["archive"], dates: Dates): number =>
  archive.rangesOf(dates).reduce((sum, range) => sum + range.requests, 0);

function listArchives(deps: BackfillCommandDeps, options: BackfillOptions): void {
  const to = todayOf(deps);
  const archives = archivesOf(deps).map((one) => {
    return { ...one, requests: requestsOf(one.archive, { from: one.archive.since, to }) };
  });
  const none = "No source has an archive.";
  deps.print(formatList(archives, options, { toJson: archiveJson, columns: archiveColumns, none }));
}

/** Says how much `--all` is, before the first request. */
function announce({ printError }: BackfillCommandDeps, tasks: readonly Task[]): void {
  let [all, seconds] = [0, 0];
  for (const { source, dates } of tasks) {
    const requests = requestsOf(source.archive, dates);
    all += requests;
    seconds += secondsOf(requests, source.archive.paceMs);
  }
  const work = `${counted(all, "request", grouped(all))}, at least ${durationText(seconds)}`;
  printError(`${counted(tasks.length, "archive")}: ${work}`);
}

const archiveColumns: readonly Column<ListedArchive>[] = [
  ["SOURCE", ({ key }) => key],
  ["SINCE", ({ archive }) => archive.since],
  ["REQUESTS", ({ requests }) => requests, "right"],
  ["EVERY", ({ archive }) => `${archive.paceMs / 1000} s`, "right"],
  [
    "AT LEAST",
    ({ archive, requests }) => durationText(secondsOf(requests, archive.paceMs)),
    "right",
  ],
  ["PUBLISHER", ({ name }) => name],
];

/** A source's part of the command. */
interface Task {
  readonly source: ArchivedSource;
  readonly dates: BackfillDates;
}

async function backfillSources(
  deps: BackfillCommandDeps,
  keys: readonly string[],
  options: BackfillOptions,
): Promise<number> {
  const { openStore, origin, print, showProgress } = deps;
  const tasks = tasksOf(deps, keys, options);
  if (options.all) announce(deps, tasks);
  deps.finishWithoutReader();
  await using store = await openStore();
  const backfill = createBackfill({ ...deps, store, sleep });
  const signal = deps.untilStopped();
  const reports: object[] = [];
  let exitCode = 0;
  for (const { source, dates } of tasks) {
    if (signal.aborted) break;
    const { from, to } = dates;
    const record = (more: EventDetails) => {
      const details = { source: source.key, from, to, ...more };
      return store.audit.record("rates.backfilled", origin(), { details });
    };
    // A kill or a full disk may leave no event after the figures.
    await record({ started: true });
    const report = await run(backfill, source, dates, deps, signal);
    const { stored, unchanged, rejected, held, failed, remaining } = report;
    await record({ stored, unchanged, rejected, held });
    showProgress("");
    if (options.json) reports.push(backfillReportJson(source.key, dates, report));
    else print(summarize(source.key, dates, report));
    if (failed.length + held > 0 || remaining !== undefined) exitCode = 1;
    explain(deps, source.key, report, signal.aborted);
  }
  if (options.json) print(formatJson(reports));
  return signal.aborted ? 1 : exitCode;
}

/** @throws {CommandError} a source is unknown or has no archive, or a date is wrong. */
function tasksOf(
  deps: BackfillCommandDeps,
  keys: readonly string[],
  { from, to, all }: BackfillOptions,
): readonly Task[] {
  requireKnown(keys, deps);
  const today = todayOf(deps);
  const first = from === undefined ? undefined : parsePastDate("--from", from, today);
  const last = to === undefined ? today : parsePastDate("--to", to, today);
  requireOrder({ from: first, to: last }, { from, to: last });
  const asked = { from: from ?? "", to: to ?? "" };
  const sources = deps.sourcesOf([...new Set(keys)]);
  const asking = all ? sources.filter(({ archive }) => (archive?.since ?? "") <= last) : sources;
  return asking.map(({ key, name, archive, schedule }) => {
    if (archive === undefined) {
      const which = "kurs rates backfill lists the sources that have one";
      throw new CommandError(`${key}: ${name} has no archive that Kurs knows; ${which}`, 2);
    }
    const { since } = archive;
    if (last < since) throw new CommandError(`${key} has figures since ${since} only`, 2);
    const begin = first === undefined || first < since ? since : first;
    return { source: { key, archive, schedule }, dates: { from: begin, to: last, asked } };
  });
}

/** @throws {CommandError} the text is not a date, or is in the future. */
function parsePastDate(option: string, text: string, today: string): string {
  if (parseDate(option, text, "date") <= today) return text;
  throw new CommandError(`${option} ${text} is in the future`, 2);
}

function todayOf({ clock }: BackfillCommandDeps): string {
  return timestamp(clock.nowMs()).slice(0, 10);
}

async function run(
  backfill: Backfill,
  source: ArchivedSource,
  dates: BackfillDates,
  { showProgress, printError }: BackfillCommandDeps,
  signal: AbortSignal,
): Promise<BackfillReport> {
  const { key } = source;
  const startedMs = performance.now();
  let rejections = 0;
  let done = "none";
  const reports: BackfillReports = {
    onProgress: (progress) => {
      const { requests, requestsDone, figuresDone } = progress;
      done = `${requestsDone} of ${counted(requests, "request")} and ${grouped(figuresDone)} more`;
      showProgress(`${key}: ${progressText(progress, (performance.now() - startedMs) / 1000)}`);
    },
    onRejected: (range, { reason }) => {
      rejections += 1;
      const where = range.from === range.to ? range.from : `${range.from} to ${range.to}`;
      if (rejections <= REJECTIONS_SHOWN_MAX) printError(`${key} ${where}: ${visibleLine(reason)}`);
    },
    onFailed: ({ from, to, reason }) =>
      printError(`${key} ${from} to ${to}: failed: ${visibleLine(reason)}`),
  };
  const report = await backfill(source, dates, reports, signal).catch((error: unknown) => {
    printError(`${key}: stopped: the figures of ${done} are stored; ${RESUME}`);
    throw error;
  });
  const more = rejections - REJECTIONS_SHOWN_MAX;
  if (more > 0) printError(`${key}: and ${counted(more, "more line")} rejected`);
  return report;
}

/** `3 of 26 requests, 4,500 of 7,400 figures ███░░░ 13 %, 2 min left`. */
function progressText(progress: BackfillProgress, seconds: number): string {
  const { requests, requestsDone, figures, figuresDone } = progress;
  const part = (requestsDone + (figures === 0 ? 0 : figuresDone / figures)) / requests;
  const of = (done: number, all: number) => `${grouped(done)} of ${grouped(all)}`;
  const inRange = figures === 0 ? "" : `, ${of(figuresDone, figures)} figures`;
  const left = part === 0 ? "" : `, ${durationText((seconds * (1 - part)) / part)} left`;
  return `${of(requestsDone, requests)} requests${inRange} ${progressBar(part)}${left}`;
}

function summarize(key: string, { from, to }: Dates, report: BackfillReport): string {
  const { stored, unchanged, rejected, dates } = report;
  const figures = counted(stored, "figure", grouped(stored));
  const of = `${counted(dates, "date", grouped(dates))} (${from} to ${to})`;
  const rest = `${grouped(unchanged)} unchanged, ${grouped(rejected)} rejected`;
  return `${key}: stored ${figures} of ${of}, ${rest}`;
}

/** Says what the counts leave out, and what to do. */
function explain(
  { printError }: BackfillCommandDeps,
  key: string,
  { completedBefore, held, failed, remaining }: BackfillReport,
  isStopped: boolean,
): void {
  if (held > 0) {
    const figures = counted(held, "figure");
    printError(`${key}: held ${figures} that their document contradicts: kurs rates held`);
  }
  if (completedBefore > 0) {
    const were = `${counted(completedBefore, "range")} ${completedBefore === 1 ? "was" : "were"}`;
    printError(`${key}: ${were} complete and not fetched again`);
  }
  if (remaining !== undefined) {
    const why = isStopped ? "stopped" : "gave up after several failures in a row";
    printError(`${key}: ${why}: ${remaining.from} to ${remaining.to} is left; ${RESUME}`);
  } else if (failed.length > 0) {
    printError(`${key}: ${counted(failed.length, "range")} failed; ${RESUME}`);
  }
}

const grouped = (count: number): string => count.toLocaleString("en-US");
