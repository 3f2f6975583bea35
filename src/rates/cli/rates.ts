import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../cli/command.ts";
import { ageOf, table } from "../../cli/output.ts";
import { instantAt } from "../../shared/instant.ts";
import { visibleLine } from "../../shared/visible-text.ts";
import { createRateImport } from "../import.ts";
import { storedRateJson } from "../json.ts";
import type { Pair } from "../rules/symbol.ts";
import { createUpdatePolicy } from "../rules/update-policy.ts";
import { pairOf, type RateCommandUses, symbolOf } from "./arguments.ts";
import { heldCommands } from "./held.ts";
import { importProgress } from "./import-progress.ts";
import { sourceCommands } from "./sources.ts";

/** Adds `kurs rates …`. */
export function rateCommands(
  program: Command,
  uses: RateCommandUses,
  setExitCode: (code: number) => void,
): void {
  const rates = program
    .command("rates")
    .description("store, show and suspend rates")
    .addHelpText("after", "\nExample:\n  $ kurs rates import rates.csv");

  rates
    .command("import")
    .description("store the rates of a file; exit code 1 when a line was not stored")
    .argument("<file>", "CSV, NDJSON or the ECB's daily XML; - for stdin")
    .option("--json", "print the counts as JSON")
    .addHelpText("after", importExamples)
    .action(async (file: string, options: OutputOptions) => {
      setExitCode(await importRates(uses, file, options));
    });

  rates
    .command("list")
    .description("show the stored rates, all or those of one base")
    .argument("[base]", "such as EUR")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs rates list EUR\n  $ kurs rates list --json")
    .action((base: string | undefined, options: OutputOptions) => listRates(uses, base, options));

  rates
    .command("suspend")
    .description("respond to reads of a pair with 503 until it is resumed; they are charged")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates suspend EUR USD")
    .action((base: string, quote: string) =>
      suspendRate(uses, pairOf(base, quote), instantAt(uses.clock.nowMs())),
    );

  rates
    .command("resume")
    .description("serve a suspended pair again")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates resume EUR USD")
    .action((base: string, quote: string) => suspendRate(uses, pairOf(base, quote), undefined));

  sourceCommands(rates, uses, setExitCode);
  heldCommands(rates, uses);
}

const importExamples = `
A CSV file begins with the header base,quote,rate,as_of (in any order). An NDJSON file has an
object with these members in each line. as_of is an RFC 3339 time. Invalid lines are reported with
their number, the others are stored. A rate too far from the stored one is held.

Examples:
  $ kurs rates import rates.csv
  $ kurs rates import eurofxref-daily.xml
  $ echo '{"base":"EUR","quote":"USD","rate":"1.1476","as_of":"2026-03-13T15:00:00Z"}' \\
      | kurs rates import -`;

async function importRates(
  uses: RateCommandUses,
  file: string,
  { json }: OutputOptions,
): Promise<number> {
  const { settings, openStore, openFile, readRateFile, clock, print, printError } = uses;
  const { rateSources: activeSources, maxRateJump: maxJump } = settings();
  try {
    const input = importProgress(openFile(file), uses.showProgress);
    await using store = await openStore({ makesStore: true });
    const judge = createUpdatePolicy({ activeSources, maxJump });
    const storeRateLines = createRateImport({ store, clock, judge, pause: setTimeout });
    const count = await storeRateLines(readRateFile(input), (line, reason) =>
      printError(`line ${line}: ${visibleLine(reason)}`),
    );
    const { stored, held, rejected } = count;
    print(json ? JSON.stringify(count) : `stored ${stored}, held ${held}, rejected ${rejected}`);
    return rejected + held === 0 ? 0 : 1;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new CommandError(`cannot read ${file}: ${code === "ENOENT" ? "no such file" : code}`);
  } finally {
    uses.showProgress("");
  }
}

async function listRates(
  { openStore, clock, print }: RateCommandUses,
  base: string | undefined,
  { json }: OutputOptions,
): Promise<void> {
  const symbol = base === undefined ? undefined : symbolOf("base", base);
  await using store = await openStore();
  const rates = await store.rates.list(symbol);
  if (json) return print(JSON.stringify(rates.map(storedRateJson), undefined, 2));
  if (rates.length === 0) {
    if (symbol === undefined) {
      return print("No rates are stored. Import some: kurs rates import FILE");
    }
    return print(`No rate with base ${symbol} is stored: see kurs rates list`);
  }
  const columns = [
    { heading: "PAIR" },
    { heading: "RATE", align: "right" },
    { heading: "AS OF" },
    { heading: "AGE", align: "right" },
    { heading: "SOURCE" },
    { heading: "" },
  ] as const;
  const nowMs = clock.nowMs();
  const rows = rates.map(({ base, quote, rate, asOf, source, suspendedAt }) => {
    const time = asOf.replace(".000000000", "");
    const state = suspendedAt === undefined ? "" : "suspended";
    return [`${base}/${quote}`, rate, time, ageOf(asOf, nowMs), source, state];
  });
  print(table(columns, rows));
}

async function suspendRate(
  { openStore, print }: RateCommandUses,
  pair: Pair,
  at: string | undefined,
): Promise<void> {
  await using store = await openStore();
  const name = `${pair.base}/${pair.quote}`;
  if (!(await store.rates.suspend(pair, at))) {
    throw new CommandError(`there is no stored rate for ${name}: see kurs rates list`);
  }
  print(at === undefined ? `${name} is served again` : `${name} is suspended`);
}
