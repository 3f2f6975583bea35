import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../cli/command.ts";
import { ageOf, table } from "../../cli/output.ts";
import { wireSourceStatus } from "../json.ts";
import {
  createRefreshSource,
  previewSource,
  type RefreshReport,
  readSourceStatus,
} from "../refresh.ts";
import { createUpdatePolicy } from "../rules/update-policy.ts";
import { MISSED_MAX, type RateSource, SourceError } from "../source.ts";
import type { DecidedUpdate } from "../store.ts";
import type { RateCommandUses } from "./arguments.ts";

/** Adds `kurs rates status` and `kurs rates fetch`. */
export function sourceCommands(
  rates: Command,
  uses: RateCommandUses,
  setExitCode: (code: number) => void,
): void {
  rates
    .command("status")
    .description("show the state of the sources; exit code 1 when one has missed a publication")
    .option("--json", "print it as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs rates status\n  $ kurs rates status --json")
    .action(async (options: OutputOptions) => setExitCode(await showStatus(uses, options)));

  rates
    .command("fetch")
    .description("fetch sources now, those in RATE_SOURCES or the ones named")
    .argument("[source...]", `any of ${uses.sourceKeys.join(", ")}`)
    .option("--dry-run", "show what would change, and store nothing")
    .addHelpText("after", fetchExamples)
    .action(async (keys: string[], options: { readonly dryRun?: boolean }) => {
      setExitCode(await fetchSources(uses, keys, options.dryRun === true));
    });
}

const fetchExamples = `
Exit code 1 when a source failed.

Examples:
  $ kurs rates fetch
  $ kurs rates fetch ecb --dry-run`;

async function showStatus(uses: RateCommandUses, { json }: OutputOptions): Promise<number> {
  const { settings, sourcesOf, openStore, clock, print } = uses;
  const sources = sourcesOf(settings().rateSources);
  await using store = await openStore();
  const nowMs = clock.nowMs();
  const states = await readSourceStatus(store.sources, sources, nowMs);
  const exitCode = states.some(({ missedPublications }) => missedPublications > 0) ? 1 : 0;
  if (json) print(JSON.stringify(states.map(wireSourceStatus), undefined, 2));
  else if (states.length === 0) print("No source is switched on: RATE_SOURCES is empty.");
  else print(statusTable(states.map(wireSourceStatus), nowMs));
  return exitCode;
}

function statusTable(
  states: readonly ReturnType<typeof wireSourceStatus>[],
  nowMs: number,
): string {
  const columns = [
    { heading: "SOURCE" },
    { heading: "STATE" },
    { heading: "PAIRS", align: "right" },
    { heading: "NEWEST RATE" },
    { heading: "MISSED", align: "right" },
    { heading: "LAST SUCCESS" },
    { heading: "NEXT FETCH" },
    { heading: "LAST ERROR" },
  ] as const;
  const rows = states.map((state) => [
    state.source,
    state.missed_publications > 0 ? "stale" : "fresh",
    String(state.pairs),
    state.newest_as_of === null ? "none" : `${ageOf(state.newest_as_of, nowMs)} old`,
    state.missed_publications < MISSED_MAX ? String(state.missed_publications) : `${MISSED_MAX}+`,
    state.last_success_at ?? "never",
    state.next_attempt_at,
    state.last_error === null ? "" : `${state.last_error_at}: ${state.last_error}`,
  ]);
  return table(columns, rows);
}

async function fetchSources(
  uses: RateCommandUses,
  keys: readonly string[],
  dryRun: boolean,
): Promise<number> {
  const { settings, sourcesOf, sourceKeys, openStore, clock, print, printError } = uses;
  const unknown = keys.filter((key) => !sourceKeys.includes(key));
  if (unknown.length > 0) {
    const known = sourceKeys.join(", ");
    throw new CommandError(`unknown source ${unknown.join(", ")}; known sources: ${known}`, 2);
  }
  const { rateSources, maxRateJump } = settings();
  const sources = sourcesOf(keys.length === 0 ? rateSources : keys);
  if (sources.length === 0) {
    throw new CommandError("no source is switched on: name some, or set RATE_SOURCES");
  }
  await using store = await openStore();
  const judge = createUpdatePolicy({ activeSources: rateSources, maxJump: maxRateJump });
  const parts = { store, clock, judge, random: Math.random };
  const refreshSource = createRefreshSource(parts);
  const { signal } = new AbortController();
  let failed = false;
  for (const [index, source] of sources.entries()) {
    uses.showProgress(`${index + 1}/${sources.length} ${source.name} …`);
    try {
      if (dryRun) print(changesTable(source, await previewSource(parts, source, signal)));
      else {
        const report = await refreshSource(source, { signal, onlyWhenDue: false });
        failed ||= report?.error !== undefined;
        print(report === undefined ? `${source.key}: another node fetches it` : lineOf(report));
        for (const { reason } of report?.rejections ?? []) printError(`${source.key}: ${reason}`);
      }
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      failed = true;
      print(`${source.key}: failed: ${error.message}`);
    }
  }
  uses.showProgress("");
  return failed ? 1 : 0;
}

function lineOf({ source, error, stored, held, skipped, rejections }: RefreshReport): string {
  if (error !== undefined) return `${source}: failed: ${error}`;
  const parts = [`stored ${stored}`, `held ${held}`, `skipped ${skipped}`];
  return `${source}: ${parts.join(", ")}, rejected ${rejections.length}`;
}

/** The pairs that would change, one per line, and the number of those that would not. */
function changesTable({ key }: RateSource, judged: readonly DecidedUpdate[]): string {
  const columns = [
    { heading: "PAIR" },
    { heading: "STORED", align: "right" },
    { heading: "NEW", align: "right" },
    { heading: "WOULD BE" },
  ] as const;
  const changing = judged.filter(({ verdict }) => verdict === "store" || verdict === "hold");
  const same = `${key}: ${judged.length - changing.length} of ${judged.length} stay as they are`;
  if (changing.length === 0) return same;
  const rows = changing.map(({ next, current, verdict }) => [
    `${next.base}/${next.quote}`,
    current?.rate ?? "none",
    next.rate,
    verdict === "hold" ? "held" : current === undefined ? "added" : "stored",
  ]);
  return `${table(columns, rows)}\n${same}`;
}
