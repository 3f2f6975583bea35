import type { Command } from "commander";
import { CommandError, type OpenStore, type OutputOptions } from "../../platform/cli/command.ts";
import { ageOf, type Column, formatList, table } from "../../platform/cli/output.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { type RateCommandDeps, requireKnown } from "../served/cli/arguments.ts";
import { warnOfMissingKey } from "../served/cli/commands.ts";
import type { FigureStore } from "../served/figures.ts";
import type { PackContent } from "../served/history.ts";
import { describeEnd } from "../served/rules/ended-currencies.ts";
import { pairName } from "../served/rules/symbol.ts";
import { createUpdatePolicy } from "../served/rules/update-policy.ts";
import type { SigningKeyStore } from "../served/signing-key.ts";
import type { ContradictionStore, DecidedUpdate, RateStore } from "../served/store.ts";
import { sourceStatusJson } from "./json.ts";
import {
  createRefreshSource,
  type PreviewedSource,
  previewSource,
  type RefreshReport,
  readSourceStatus,
  type SourceStatus,
} from "./refresh.ts";
import { MISSED_MAX, missedPairsText } from "./rules/missed.ts";
import { type RateSource, SourceError, type SourceLookup } from "./source.ts";
import type { SourceStore } from "./store.ts";

/** The dependencies of the commands that show and fetch sources. */
export interface SourceCommandDeps extends Omit<RateCommandDeps, "openStore">, SourceLookup {
  readonly openStore: OpenStore<{
    readonly rates: RateStore;
    readonly figures: FigureStore;
    readonly contradictions: ContradictionStore;
    readonly sources: SourceStore;
    readonly signingKeys: SigningKeyStore;
  }>;
  readonly packContent: PackContent;
}

/** Adds `kurs rates status` and `kurs rates fetch`. */
export function sourceCommands(
  rates: Command,
  deps: SourceCommandDeps,
  setExitCode: (code: number) => void,
): void {
  rates
    .command("status")
    .description(
      "show the state of the sources; exit code 1 when one or a pair missed a publication",
    )
    .option("--json", "print it as JSON")
    .addHelpText("after", statusExamples)
    .action(async (options: OutputOptions) => setExitCode(await showStatus(deps, options)));

  rates
    .command("fetch")
    .description("fetch sources now, those in RATE_SOURCES or the ones named")
    .argument("[source...]", `any of ${deps.sourceKeys.join(", ")}`)
    .option("--dry-run", "show what would change, and store nothing")
    .addHelpText("after", fetchExamples)
    .action(async (keys: string[], options: { readonly dryRun?: boolean }) => {
      setExitCode(await fetchSources(deps, keys, options.dryRun === true));
    });
}

const statusExamples = `
A source is stale when a publication is two hours overdue (five minutes where the publisher has no
fixed times): MISSED counts them. PAIRS counts the pairs that are served from it. A fresh source may
have left pairs out: a line below names them, without those that are suspended.

Examples:
  $ kurs rates status
  $ kurs rates status --json`;

const fetchExamples = `
"held" counts rates that differ from the served ones by more than RATE_MAX_JUMP, or from another
publisher's by more than RATE_MAX_DISAGREEMENT, and figures that their document contradicts: kurs
rates held shows them. "skipped" counts those that are not served: unchanged or older ones, those of
pairs that another source owns, of a table that has not begun, and of a currency that has ended.
kurs rates list BASE QUOTE shows what each source has. "rejected" counts lines that are no valid
rate, "for its series alone" new figures of earlier dates, or of kinds that are not served.
Exit code 1 when a source or one of its documents failed.

Examples:
  $ kurs rates fetch
  $ kurs rates fetch ecb --dry-run`;

async function showStatus(deps: SourceCommandDeps, options: OutputOptions): Promise<number> {
  const { settings, sourcesOf, openStore, clock, print } = deps;
  const sources = sourcesOf(settings().rateSources);
  await using store = await openStore();
  const nowMs = clock.nowMs();
  const states = await readSourceStatus(store.sources, sources, nowMs);
  const behind = states.filter(({ missedPairs }) => missedPairs.count > 0);
  const isStale = states.some(({ missedPublications }) => missedPublications > 0);
  const none = "No source is switched on: RATE_SOURCES is empty.";
  const columns = statusColumns(nowMs);
  print(formatList(states, options, { toJson: sourceStatusJson, columns, none }));
  for (const { source, missedPairs } of options.json ? [] : behind) {
    print(missedPairsText(source, missedPairs));
  }
  return isStale || behind.length > 0 ? 1 : 0;
}

const statusColumns = (nowMs: number): readonly Column<SourceStatus>[] => [
  ["SOURCE", ({ source }) => source],
  ["STATE", ({ missedPublications }) => (missedPublications > 0 ? "stale" : "fresh")],
  ["PAIRS", ({ pairs }) => pairs, "right"],
  [
    "NEWEST RATE",
    ({ newestAsOf: asOf }) => (asOf === undefined ? "none" : `${ageOf(asOf, nowMs)} old`),
  ],
  [
    "MISSED",
    ({ missedPublications: missed }) => (missed < MISSED_MAX ? missed : `${MISSED_MAX}+`),
    "right",
  ],
  ["LAST SUCCESS", ({ lastSuccessAt }) => lastSuccessAt ?? "never"],
  ["NEXT FETCH", ({ nextAttemptAt }) => nextAttemptAt],
  [
    "LAST ERROR",
    ({ lastError, lastErrorAt }) => (lastError === undefined ? "" : `${lastErrorAt}: ${lastError}`),
  ],
];

async function fetchSources(
  deps: SourceCommandDeps,
  keys: readonly string[],
  dryRun: boolean,
): Promise<number> {
  const { settings, sourcesOf, openStore, print, printError } = deps;
  requireKnown(keys, deps);
  const sources = sourcesOf(keys.length === 0 ? settings().rateSources : keys);
  if (sources.length === 0) {
    throw new CommandError("no source is switched on: name some, or set RATE_SOURCES");
  }
  await using store = await openStore();
  if (!dryRun) await warnOfMissingKey(store, deps);
  const policy = createUpdatePolicy(settings());
  const { maxDisagreement } = settings();
  const parts = { ...deps, store, policy, maxDisagreement, random: Math.random };
  const refreshSource = createRefreshSource(parts);
  const { signal } = new AbortController();
  let failed = false;
  for (const [index, source] of sources.entries()) {
    deps.showProgress(`${index + 1}/${sources.length} ${source.name} …`);
    try {
      if (dryRun) print(changesTable(source, await previewSource(parts, source, signal)));
      else {
        const report = await refreshSource(source, { signal, onlyWhenDue: false });
        failed ||= report?.error !== undefined;
        print(report === undefined ? `${source.key}: another node fetches it` : showReport(report));
        for (const { reason } of report?.rejections ?? []) printError(`${source.key}: ${reason}`);
        for (const one of report?.ended ?? []) {
          printError(`${source.key}: ${describeEnd(one)}: its figure is stored, and not served`);
        }
      }
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      failed = true;
      print(`${source.key}: failed: ${error.message}`);
    }
  }
  deps.showProgress("");
  return failed ? 1 : 0;
}

function showReport(report: RefreshReport): string {
  const { source, error, stored, held, skipped, further, rejections } = report;
  const isEmpty = stored + held + skipped + further + rejections.length === 0;
  if (error !== undefined && isEmpty) return `${source}: failed: ${error}`;
  const alone = further === 0 ? "" : `, for its series alone ${further}`;
  const failed = error === undefined ? "" : `; a document failed: ${error}`;
  const parts = [`stored ${stored}`, `held ${held}`, `skipped ${skipped}`];
  return `${source}: ${parts.join(", ")}, rejected ${rejections.length}${alone}${failed}`;
}

/**
 * The pairs that would change, one per line, and the numbers of those that would not, of the
 * figures that would go to the source's series alone, and of those that wait.
 */
function changesTable({ key }: RateSource, previewed: PreviewedSource): string {
  const { decided, further, waiting, contradictions } = previewed;
  const columns: readonly Column<DecidedUpdate>[] = [
    ["PAIR", ({ next }) => pairName(next)],
    ["STORED", ({ current }) => current?.rate ?? "none", "right"],
    ["NEW", ({ next }) => next.rate, "right"],
    [
      "WOULD BE",
      ({ decision, current }) =>
        decision === "hold" ? "held" : current === undefined ? "added" : "stored",
    ],
  ];
  const changing = decided.filter(({ decision }) => decision === "store" || decision === "hold");
  const alone = decided.filter(({ decision, isNew }) => {
    return isNew && (decision === "older" || decision === "foreign" || decision === "ended");
  });
  const rest: string[] = [];
  if (decided.length > 0 || waiting === 0) {
    rest.push(`${decided.length - changing.length} of ${decided.length} stay as they are`);
  }
  if (alone.length + further > 0) {
    const figures = counted(alone.length + further, "figure");
    rest.push(`${figures} would go to the series of ${key} alone`);
  }
  if (contradictions > 0) {
    rest.push(`${counted(contradictions, "figure")} that the document contradicts would be held`);
  }
  if (waiting > 0) rest.push(`${counted(waiting, "figure")} would wait until the table begins`);
  const same = `${key}: ${rest.join("; ")}`;
  return changing.length === 0 ? same : `${table(columns, changing)}\n${same}`;
}
