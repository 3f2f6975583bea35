import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import type { AuditStore } from "../audit/store.ts";
import { CommandError, type OpenStore, type OutputOptions } from "../cli/command.ts";
import { digested, fileError, type OpenedFile, readWithProgress } from "../cli/input-file.ts";
import { type Column, createTable } from "../cli/output.ts";
import { type RateCommandDeps, shortAsOf } from "../rates/cli/arguments.ts";
import { warnOfMissingKey } from "../rates/cli/sign.ts";
import type { HistoryStore } from "../rates/history.ts";
import { pairName } from "../rates/rules/symbol.ts";
import { createUpdatePolicy } from "../rates/rules/update-policy.ts";
import type { SigningKeyStore } from "../rates/signing-key.ts";
import type { DecidedUpdate, RateStore } from "../rates/store.ts";
import type { StoreStatus } from "../shared/store.ts";
import { counted } from "../shared/text/counted.ts";
import { quoted, visibleLine } from "../shared/text/visible-text.ts";
import type { RateLineReader } from "../sources/source.ts";
import { type PublishedAt, parsePublishedAt } from "./dates.ts";
import {
  createRateImport,
  type ImportCounts,
  type ImportReports,
  previewImport,
} from "./import.ts";
import { importCountsJson } from "./json.ts";

/** The dependencies of the command that imports a file. */
export interface ImportCommandDeps extends Omit<RateCommandDeps, "openStore"> {
  readonly openStore: OpenStore<{
    readonly rates: RateStore;
    readonly history: HistoryStore;
    readonly signingKeys: SigningKeyStore;
    readonly status: StoreStatus;
    readonly audit: AuditStore;
  }>;
  /** Opens a file, or stdin for `-`; its size is known for a file only. @throws as Node does. */
  readonly openFile: (path: string) => OpenedFile;
  readonly readRateFile: RateLineReader;
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
    .option("--dry-run", "show what would be stored, held and rejected, and store nothing")
    .option("--json", "print the counts as JSON")
    .addHelpText("after", importExamples)
    .action(async (file: string, options: ImportOptions) => {
      const publishedAt = publishedAtOf(options.publishedAt);
      const run = options.dryRun ? showImport : importRates;
      setExitCode(await run(deps, file, { json: options.json === true, publishedAt }));
    });
}

interface ImportOptions extends OutputOptions {
  readonly publishedAt?: string;
  readonly dryRun?: boolean;
}

interface ImportUse {
  readonly json: boolean;
  readonly publishedAt: PublishedAt | undefined;
}

/** @throws {CommandError} it is invalid. */
function publishedAtOf(text: string | undefined): PublishedAt | undefined {
  const publishedAt = text === undefined ? undefined : parsePublishedAt(text);
  if (text === undefined || publishedAt !== undefined) return publishedAt;
  const wanted = 'want a time of day and a time zone, such as "16:00 Europe/Berlin"';
  throw new CommandError(`--published-at ${quoted(text)}: ${wanted}`, 2);
}

const importExamples = `
A CSV file begins with the header base,quote,rate,as_of (in any order). An NDJSON file has an
object with these members in each line. as_of is an RFC 3339 time, or a date with --published-at, in
which the zone's summer time counts. Semicolons may separate the columns. Invalid lines are reported
with their number, the others are stored. A rate too far from the stored one is held. A symbol on no
list of currencies may be a typing error: a warning names it, and its rate is stored.

Examples:
  $ kurs rates import rates.csv --dry-run
  $ kurs rates import rates.csv
  $ kurs rates import closing.csv --published-at "16:00 Europe/Berlin"
  $ kurs rates import eurofxref-daily.xml
  $ echo '{"base":"EUR","quote":"USD","rate":"1.1476","as_of":"2026-03-13T15:00:00Z"}' \\
      | kurs rates import -`;

async function importRates(
  deps: ImportCommandDeps,
  file: string,
  { json, publishedAt }: ImportUse,
): Promise<number> {
  const { settings, openStore, openFile, readRateFile, origin, print } = deps;
  const policy = createUpdatePolicy(settings());
  deps.finishWithoutReader();
  try {
    using opened = openFile(file);
    const { bytes, digest } = digested(readWithProgress(opened, deps.showProgress));
    await using store = await openStore({ makesStore: true });
    await warnOfMissingKey(store, deps);
    const storeRateLines = createRateImport({ ...deps, store, policy, sleep: setTimeout });
    const imported = { name: basename(file), digest, publishedAt };
    const count = await storeRateLines(readRateFile(bytes), imported, reportsTo(deps, false));
    const { stored, unchanged, held, rejected } = count;
    const details = {
      ...{ file: basename(file), stored, unchanged, held, rejected },
      ...(publishedAt && { published_at: `${publishedAt.timeOfDay} ${publishedAt.timeZone}` }),
    };
    await store.audit.record("rates.imported", origin(), { details });
    warnOfFurther(count, deps);
    const counts = `stored ${stored}, unchanged ${unchanged}, held ${held}, rejected ${rejected}`;
    print(json ? JSON.stringify(importCountsJson(count)) : counts);
    return rejected + held === 0 ? 0 : 1;
  } catch (error) {
    throw fileError(file, error);
  } finally {
    deps.showProgress("");
  }
}

/** Shows what an import would do. */
async function showImport(
  deps: ImportCommandDeps,
  file: string,
  { json, publishedAt }: ImportUse,
): Promise<number> {
  const { settings, openStore, openFile, readRateFile, clock, print } = deps;
  const policy = createUpdatePolicy(settings());
  const layOut = createTable(previewColumns);
  try {
    using opened = openFile(file);
    await using store = await openStore();
    const count = await previewImport(readRateFile(readWithProgress(opened, deps.showProgress)), {
      ...{ store, clock, policy, publishedAt },
      reports: reportsTo(deps, true),
      show: (updates) => {
        if (!json && updates.length > 0) print(layOut(updates));
      },
    });
    warnOfFurther(count, deps);
    const { stored, unchanged, held, rejected } = count;
    const rest = `unchanged ${unchanged}, would hold ${held}, would reject ${rejected}`;
    const counts = { dry_run: true, ...importCountsJson(count) };
    print(json ? JSON.stringify(counts) : `would store ${stored}, ${rest}; nothing was stored`);
    return rejected + held === 0 ? 0 : 1;
  } catch (error) {
    throw fileError(file, error);
  } finally {
    deps.showProgress("");
  }
}

const previewColumns: readonly Column<DecidedUpdate>[] = [
  ["LINE", ({ next }) => next.line ?? "", "right"],
  ["PAIR", ({ next }) => pairName(next)],
  ["BEFORE", ({ current }) => current?.rate ?? "none", "right"],
  ["NEW", ({ next }) => next.rate, "right"],
  ["AS OF", ({ next }) => shortAsOf(next)],
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
    onUnknownSymbol: (line, symbol) => {
      const what = `${symbol} is on no list of currencies (line ${line}): ${would}stored as given`;
      printError(`warning: ${what}`);
    },
  };
}

function warnOfFurther({ furtherUnknown }: ImportCounts, { printError }: ImportCommandDeps): void {
  if (furtherUnknown === 0) return;
  const rates = counted(furtherUnknown, "more rate");
  printError(`warning: and ${rates} with symbols on no list of currencies`);
}
