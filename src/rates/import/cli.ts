import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import type { EventDetails } from "../../platform/audit/rules.ts";
import type { AuditStore } from "../../platform/audit/store.ts";
import { CommandError, type OpenStore, type OutputOptions } from "../../platform/cli/command.ts";
import { digested, readWithProgress, withFile } from "../../platform/cli/input-file.ts";
import { type Column, createTable } from "../../platform/cli/output.ts";
import type { StoreStatus } from "../../platform/shared/store.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { quoted, visibleLine } from "../../platform/shared/text/visible-text.ts";
import { type RateCommandDeps, shortAsOf } from "../served/cli/arguments.ts";
import { warnOfMissingKey } from "../served/cli/commands.ts";
import type { FigureStore } from "../served/figures.ts";
import { type HistoryStore, SNAPSHOT_SOURCE } from "../served/history.ts";
import { describeEnd } from "../served/rules/ended-currencies.ts";
import { pairName } from "../served/rules/symbol.ts";
import { createUpdatePolicy, IMPORT_SOURCE, importSource } from "../served/rules/update-policy.ts";
import type { SigningKeyStore } from "../served/signing-key.ts";
import type { ContradictionStore, DecidedUpdate, RateStore } from "../served/store.ts";
import type { RateLineReader, SourceLookup } from "../sources/source.ts";
import { type PublishedAt, parsePublishedAt } from "./dates.ts";
import { type DocumentDeps, importDocument } from "./document-cli.ts";
import { createRateImport, type LineReading, previewImport } from "./import.ts";
import type { ImportCounts, ImportReports } from "./tally.ts";

/** The dependencies of the command that imports a file. */
export interface ImportCommandDeps
  extends Omit<RateCommandDeps, "openStore">,
    Omit<DocumentDeps, "openStore">,
    Pick<SourceLookup, "sourceKeys"> {
  readonly openStore: OpenStore<{
    readonly rates: RateStore;
    readonly contradictions: ContradictionStore;
    readonly history: HistoryStore;
    readonly signingKeys: SigningKeyStore;
    readonly status: StoreStatus;
    readonly audit: AuditStore;
    readonly figures: FigureStore;
  }>;
  readonly readRateFile: RateLineReader;
  /** @returns a signal that aborts where a signal would have ended the process. */
  readonly untilStopped: () => AbortSignal;
}

/** Adds `kurs rates import`. */
export function importCommand(
  rates: Command,
  deps: ImportCommandDeps,
  setExitCode: (code: number) => void,
): void {
  rates
    .command("import")
    .description("store the rates of a file; exit code 1 when a line was not stored")
    .argument("<file>", "CSV, NDJSON or the ECB's daily XML; - for stdin")
    .option("--published-at <time>", 'what a date alone means: "16:00 Europe/Berlin"')
    .option("--source <name>", "keep these rates apart from other imports, as import:NAME")
    .option("--document", "the file is a document of the publisher in --source, such as bmf")
    .option("--dry-run", "show what would be stored, held and rejected, and store nothing")
    .option("--json", "print the counts as JSON")
    .addHelpText("after", importExamples)
    .action(async (file: string, options: ImportOptions) => {
      const { json = false, dryRun, source = IMPORT_SOURCE, document } = options;
      if (document) {
        if (options.publishedAt !== undefined) {
          throw new CommandError("--published-at is for other files: leave it out", 2);
        }
        const how = { key: options.source, json, isDryRun: dryRun === true };
        setExitCode(await importDocument(deps, file, how));
        return;
      }
      const publishedAt = publishedAtOf(options.publishedAt);
      const use = { json, publishedAt, source: sourceOf(source, deps) };
      setExitCode(await (dryRun ? showImport : importRates)(deps, file, use));
    });
}

interface ImportOptions extends OutputOptions {
  readonly publishedAt?: string;
  readonly source?: string;
  readonly dryRun?: boolean;
  readonly document?: boolean;
}

type ImportUse = LineReading & { readonly json: boolean };

/** @throws {CommandError} it is invalid. */
function publishedAtOf(text: string | undefined): PublishedAt | undefined {
  const publishedAt = text === undefined ? undefined : parsePublishedAt(text);
  if (text === undefined || publishedAt !== undefined) return publishedAt;
  const wanted = 'must be a time of day and a time zone, such as "16:00 Europe/Berlin"';
  throw new CommandError(`--published-at ${quoted(text)}: ${wanted}`, 2);
}

/** @throws {CommandError} no series of imports may have this name. */
function sourceOf(
  series: string,
  { sourceKeys: publishers, documentSources }: ImportCommandDeps,
): string {
  if (documentSources.some(({ key }) => key === series)) {
    const how = "pass its own file with --document, or choose a different name";
    throw new CommandError(`--source ${series} is a publisher: ${how}`, 2);
  }
  const isTaken = publishers.includes(series) || series === SNAPSHOT_SOURCE;
  if (/^[a-z0-9][a-z0-9-]{1,31}$/.test(series) && !isTaken) return importSource(series);
  const wanted = isTaken
    ? "another source has this name, choose a different one"
    : "must be 2 to 32 characters of a-z, 0-9 and -, which is not the first";
  throw new CommandError(`--source ${quoted(series)}: ${wanted}`, 2);
}

const importExamples = `
A CSV file begins with the header base,quote,rate,as_of (in any order). An NDJSON file has an
object with these members in each line. as_of is an RFC 3339 time, or a date with --published-at, in
which the zone's summer time counts. Semicolons may separate the columns. Invalid lines are reported
with their number, the others are stored. A rate that differs from the served one by more than
RATE_MAX_JUMP is held, and so are different rates of one pair and time: kurs rates held shows them.
An older rate than the served one is stored and not served: kurs rates history BASE QUOTE --source
import shows it. A symbol on no list of currencies may be a typing error: a warning names it, and
its rate is stored.

With --document the file is stored and read as a publisher's own, and nothing of it is served: bmf
is the German ministry's file of a year's monthly averages (uu-kurse-2025-csv.csv).

Examples:
  $ kurs rates import rates.csv --dry-run
  $ kurs rates import rates.csv
  $ kurs rates import closing.csv --published-at "16:00 Europe/Berlin"
  $ kurs rates import eurofxref-daily.xml
  $ kurs rates import 2024.csv --source treasury
  $ kurs rates import uu-kurse-2025-csv.csv --document --source bmf
  $ echo '{"base":"EUR","quote":"USD","rate":"1.1476","as_of":"2026-03-13T15:00:00Z"}' \\
      | kurs rates import -`;

async function importRates(
  deps: ImportCommandDeps,
  file: string,
  { json, publishedAt, source }: ImportUse,
): Promise<number> {
  const { settings, openStore, readRateFile, origin, print } = deps;
  const policy = createUpdatePolicy(settings());
  deps.finishWithoutReader();
  return await withFile(file, deps, async (opened) => {
    const { bytes, digest } = digested(readWithProgress(opened, deps.showProgress));
    await using store = await openStore({ makesStore: true });
    // Not before: a signal ends the wait for another process. A read that waits fails then, after
    // the transaction that runs.
    const stopped = deps.untilStopped();
    stopped.addEventListener("abort", () => opened[Symbol.dispose]());
    await warnOfMissingKey(store, deps);
    const storeRateLines = createRateImport({ ...deps, store, policy, sleep: setTimeout });
    const imported = { name: basename(file), digest, publishedAt, source };
    const record = (more: EventDetails) => {
      const details = { file: basename(file), source, ...more };
      return store.audit.record("rates.imported", origin(), { details });
    };
    // A kill or a full disk may leave no event after the rates.
    await record({ started: true });
    let lines = 0;
    const onStored = (some: number) => {
      lines += some;
    };
    const reports = { ...reportsTo(deps, false), onStored };
    const importing = storeRateLines(readRateFile(bytes), imported, reports);
    const count = await importing.catch(async (error: unknown) => {
      await record({ stopped: true }).catch(() => undefined);
      const stays = `stopped: the rates of ${counted(lines, "line")} are stored`;
      const outcome = `${stays}; the same command stores the rest`;
      if (stopped.aborted) throw new CommandError(outcome);
      if (lines > 0) deps.printError(outcome);
      throw error;
    });
    const { stored, older, unchanged, held, rejected } = count;
    await record({
      stored,
      older,
      unchanged,
      held,
      rejected,
      ...(publishedAt && { published_at: `${publishedAt.timeOfDay} ${publishedAt.timeZone}` }),
    });
    warnOfFurther(count, deps);
    const rest = `unchanged ${unchanged}, held ${held}, rejected ${rejected}`;
    print(json ? JSON.stringify(importCountsJson(count)) : `stored ${storedText(count)}, ${rest}`);
    return rejected + held === 0 ? 0 : 1;
  });
}

/** Shows what an import would do. */
async function showImport(
  deps: ImportCommandDeps,
  file: string,
  { json, ...reading }: ImportUse,
): Promise<number> {
  const { settings, openStore, readRateFile, clock, print } = deps;
  const policy = createUpdatePolicy(settings());
  const layOut = createTable(previewColumns);
  return await withFile(file, deps, async (opened) => {
    await using store = await openStore();
    const count = await previewImport(readRateFile(readWithProgress(opened, deps.showProgress)), {
      store,
      clock,
      policy,
      reading,
      reports: reportsTo(deps, true),
      show: (updates) => {
        if (!json && updates.length > 0) print(layOut(updates));
      },
    });
    warnOfFurther(count, deps);
    const { unchanged, held, rejected } = count;
    const rest = `unchanged ${unchanged}, would hold ${held}, would reject ${rejected}`;
    const text = `would store ${storedText(count)}, ${rest}; nothing was stored`;
    print(json ? JSON.stringify({ dry_run: true, ...importCountsJson(count) }) : text);
    return rejected + held === 0 ? 0 : 1;
  });
}

function storedText({ stored, older }: ImportCounts): string {
  return older === 0 ? `${stored}` : `${stored} (${older} older than the served rate)`;
}

function importCountsJson(counts: ImportCounts) {
  const { stored, older, unchanged, held, rejected, unknownSymbols } = counts;
  return { stored, older, unchanged, held, rejected, unknown_symbols: unknownSymbols };
}

const SERVED: Partial<Record<DecidedUpdate["decision"], string>> = {
  older: "no, it is older",
  ended: "no, a currency ended",
};

const previewColumns: readonly Column<DecidedUpdate>[] = [
  ["LINE", ({ next }) => next.line ?? "", "right"],
  ["PAIR", ({ next }) => pairName(next)],
  ["BEFORE", ({ current }) => current?.rate ?? "none", "right"],
  ["NEW", ({ next }) => next.rate, "right"],
  ["AS OF", ({ next }) => shortAsOf(next)],
  ["SERVED", ({ decision }) => SERVED[decision] ?? "yes"],
];

function reportsTo({ printError }: ImportCommandDeps, isDryRun: boolean): ImportReports {
  const would = isDryRun ? "would be " : "";
  return {
    onRejected: (line, reason) => printError(`line ${line}: ${visibleLine(reason)}`),
    onHeld: (line, { base, quote, rate }) => {
      const advice = isDryRun ? "" : `, see kurs rates release ${base} ${quote}`;
      const why = `${base}/${quote} at ${rate} is too far from the stored rate`;
      printError(`line ${line}: ${why}: ${would}held${advice}`);
    },
    onContradiction: (line, { base, quote, rate }) => {
      const advice = isDryRun ? "" : `: kurs rates release ${base} ${quote} ${rate} takes this one`;
      const why = `${base}/${quote} at ${rate} contradicts another line of the same time`;
      printError(`line ${line}: ${why}: ${would}held${advice}`);
    },
    onUnknownSymbol: (line, symbol) => {
      const what = `${symbol} is on no list of currencies (line ${line}): ${would}stored as given`;
      printError(`warning: ${what}`);
    },
    onEnded: (line, ended) =>
      printError(
        `warning: ${describeEnd(ended)} (line ${line}): ${would}stored as given, and not served`,
      ),
  };
}

function warnOfFurther({ furtherUnknown }: ImportCounts, { printError }: ImportCommandDeps): void {
  if (furtherUnknown === 0) return;
  const rates = counted(furtherUnknown, "more rate");
  printError(`warning: and ${rates} with symbols on no list of currencies`);
}
