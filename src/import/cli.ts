import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import type { AuditStore } from "../audit/store.ts";
import type { OpenStore, OutputOptions } from "../cli/command.ts";
import { digested, fileError, type OpenedFile, readWithProgress } from "../cli/input-file.ts";
import type { RateCommandDeps } from "../rates/cli/arguments.ts";
import { warnOfMissingKey } from "../rates/cli/sign.ts";
import type { HistoryStore } from "../rates/history.ts";
import { createUpdatePolicy } from "../rates/rules/update-policy.ts";
import type { SigningKeyStore } from "../rates/signing-key.ts";
import type { RateStore } from "../rates/store.ts";
import type { StoreStatus } from "../shared/store.ts";
import { visibleLine } from "../shared/text/visible-text.ts";
import type { RateLineReader } from "../sources/source.ts";
import { createRateImport } from "./import.ts";
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
    .option("--json", "print the counts as JSON")
    .addHelpText("after", importExamples)
    .action(async (file: string, options: OutputOptions) => {
      setExitCode(await importRates(deps, file, options));
    });
}

const importExamples = `
A CSV file begins with the header base,quote,rate,as_of (in any order). An NDJSON file has an
object with these members in each line. as_of is an RFC 3339 time. Invalid lines are reported with
their number, the others are stored. A rate too far from the stored one is held. A symbol on no list
of currencies may be a typing error: a warning names it, and its rate is stored.

Examples:
  $ kurs rates import rates.csv
  $ kurs rates import eurofxref-daily.xml
  $ echo '{"base":"EUR","quote":"USD","rate":"1.1476","as_of":"2026-03-13T15:00:00Z"}' \\
      | kurs rates import -`;

async function importRates(
  deps: ImportCommandDeps,
  file: string,
  { json }: OutputOptions,
): Promise<number> {
  const { settings, openStore, openFile, readRateFile, origin, print, printError } = deps;
  const policy = createUpdatePolicy(settings());
  deps.finishWithoutReader();
  try {
    using opened = openFile(file);
    const { bytes, digest } = digested(readWithProgress(opened, deps.showProgress));
    await using store = await openStore({ makesStore: true });
    await warnOfMissingKey(store, deps);
    const storeRateLines = createRateImport({ ...deps, store, policy, sleep: setTimeout });
    const imported = { name: basename(file), digest };
    const count = await storeRateLines(readRateFile(bytes), imported, {
      onRejected: (line, reason) => printError(`line ${line}: ${visibleLine(reason)}`),
      onUnknownSymbol: (line, symbol) =>
        printError(
          `warning: ${symbol} is on no list of currencies (line ${line}): stored as given`,
        ),
    });
    const { stored, unchanged, held, rejected, furtherUnknown } = count;
    const details = { file: basename(file), stored, unchanged, held, rejected };
    await store.audit.record("rates.imported", origin(), { details });
    if (furtherUnknown > 0) {
      printError(`warning: and ${furtherUnknown} more rates with symbols on no list of currencies`);
    }
    const counts = `stored ${stored}, unchanged ${unchanged}, held ${held}, rejected ${rejected}`;
    print(json ? JSON.stringify(importCountsJson(count)) : counts);
    return rejected + held === 0 ? 0 : 1;
  } catch (error) {
    throw fileError(file, error);
  } finally {
    deps.showProgress("");
  }
}
