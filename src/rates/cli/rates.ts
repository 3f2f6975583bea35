import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import type { OutputOptions } from "../../cli/command.ts";
import { digested, fileError, readWithProgress } from "../../cli/input-file.ts";
import { ageOf, formatList } from "../../cli/output.ts";
import { createOutlooks, type Outlook } from "../../coverage/coverage.ts";
import { createRateImport } from "../../import/import.ts";
import { atCommand } from "../../provenance/cli/at.ts";
import { historyCommand } from "../../provenance/cli/history.ts";
import { traceCommand } from "../../provenance/cli/trace.ts";
import { verifyCommand } from "../../provenance/cli/verify.ts";
import { visibleLine } from "../../shared/text/visible-text.ts";
import { sourceCommands } from "../../sources/cli.ts";
import { importCountsJson, listedRateJson } from "../json.ts";
import { type Pair, pairName } from "../rules/symbol.ts";
import { createUpdatePolicy } from "../rules/update-policy.ts";
import type { StoredRate } from "../store.ts";
import { notStored, pairOf, type RateCommandDeps, shortAsOf, symbolOf } from "./arguments.ts";
import { deleteCommand } from "./delete.ts";
import { heldCommands } from "./held.ts";
import { signCommand, warnOfMissingKey } from "./sign.ts";

/** Adds `kurs rates …`. */
export function rateCommands(
  program: Command,
  deps: RateCommandDeps,
  setExitCode: (code: number) => void,
): void {
  const rates = program
    .command("rates")
    .description("store, show, suspend and delete rates")
    .addHelpText("after", "\nExample:\n  $ kurs rates import rates.csv");

  rates
    .command("import")
    .description("store the rates of a file; exit code 1 when a line was not stored")
    .argument("<file>", "CSV, NDJSON or the ECB's daily XML; - for stdin")
    .option("--json", "print the counts as JSON")
    .addHelpText("after", importExamples)
    .action(async (file: string, options: OutputOptions) => {
      setExitCode(await importRates(deps, file, options));
    });

  rates
    .command("list")
    .description("show the stored rates, all or those of one base")
    .argument("[base]", "such as EUR")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs rates list EUR\n  $ kurs rates list --json")
    .action((base: string | undefined, options: OutputOptions) => listRates(deps, base, options));

  rates
    .command("suspend")
    .description("respond to reads of a pair with 503 until it is resumed; they are charged")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates suspend EUR USD")
    .action((base: string, quote: string) => setSuspended(deps, pairOf(base, quote), "suspend"));

  rates
    .command("resume")
    .description("serve a suspended pair again")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates resume EUR USD")
    .action((base: string, quote: string) => setSuspended(deps, pairOf(base, quote), "resume"));

  deleteCommand(rates, deps);
  sourceCommands(rates, deps, setExitCode);
  heldCommands(rates, deps);
  historyCommand(rates, deps);
  atCommand(rates, deps);
  traceCommand(rates, deps, setExitCode);
  verifyCommand(rates, deps, setExitCode);
  signCommand(rates, deps);
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
  deps: RateCommandDeps,
  file: string,
  { json }: OutputOptions,
): Promise<number> {
  const { settings, openStore, openFile, readRateFile, origin, print, printError } = deps;
  const judge = createUpdatePolicy(settings());
  deps.finishWithoutReader();
  try {
    using opened = openFile(file);
    const { bytes, digest } = digested(readWithProgress(opened, deps.showProgress));
    await using store = await openStore({ makesStore: true });
    await warnOfMissingKey(store, deps);
    const storeRateLines = createRateImport({ ...deps, store, judge, sleep: setTimeout });
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

interface ListedRate extends StoredRate {
  readonly outlook: Outlook;
}

function stateOf({ outlook, suspendedAt }: ListedRate): string {
  const states = [outlook.isMissed ? "missed" : "", suspendedAt === undefined ? "" : "suspended"];
  return states.filter((state) => state !== "").join(", ");
}

async function listRates(
  { openStore, clock, sourcesOf, sourceKeys, print }: RateCommandDeps,
  base: string | undefined,
  options: OutputOptions,
): Promise<void> {
  const symbol = base === undefined ? undefined : symbolOf("base", base);
  await using store = await openStore();
  const nowMs = clock.nowMs();
  const outlookOf = createOutlooks(sourcesOf(sourceKeys));
  const rates = (await store.rates.list(symbol)).map((rate): ListedRate => {
    return { ...rate, outlook: outlookOf(rate.source, rate.asOf, nowMs, rate) };
  });
  const text = formatList(rates, options, {
    toJson: ({ outlook, ...rate }) => listedRateJson(rate, outlook),
    columns: [
      ["PAIR", pairName],
      ["RATE", ({ rate }) => rate, "right"],
      ["AS OF", shortAsOf],
      ["AGE", ({ asOf }) => ageOf(asOf, nowMs), "right"],
      ["SOURCE", ({ source }) => source],
      ["NEXT", ({ outlook }) => outlook.nextPublication ?? ""],
      ["STATE", stateOf],
    ],
    none:
      symbol === undefined
        ? "No rates are stored. Import some: kurs rates import FILE"
        : `No rate with base ${symbol} is stored: see kurs rates list`,
  });
  print(text);
}

async function setSuspended(
  { openStore, origin, print }: RateCommandDeps,
  pair: Pair,
  change: "suspend" | "resume",
): Promise<void> {
  await using store = await openStore();
  const name = pairName(pair);
  if (!(await store.rates[change](pair, origin()))) throw notStored(pair);
  print(change === "resume" ? `${name} is served again` : `${name} is suspended`);
}
