import type { Command } from "commander";
import { createStoreRateLines } from "../../application/store-rates.ts";
import { instantAt } from "../../domain/instant.ts";
import { type Pair, parseSymbol } from "../../domain/symbol.ts";
import { wireStoredRate } from "../wire.ts";
import { CommandError, type CommandUses, type OutputOptions } from "./command.ts";
import { table } from "./table.ts";

/** Adds `kurs rates …`. */
export function rateCommands(
  program: Command,
  uses: CommandUses,
  setExitCode: (code: number) => void,
): void {
  const rates = program
    .command("rates")
    .description("store, show and suspend rates")
    .addHelpText("after", "\nExample:\n  $ kurs rates import rates.csv");

  rates
    .command("import")
    .description("store the rates of a file; exit code 1 when a line was rejected")
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
    .description("answer reads of a pair with 503 until it is resumed; they are charged")
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
}

const importExamples = `
A CSV file begins with the header base,quote,rate,as_of (in any order). An NDJSON file has an
object with these members in each line. as_of is an RFC 3339 time. Lines that do not fit are
reported with their number, the others are stored.

Examples:
  $ kurs rates import rates.csv
  $ kurs rates import eurofxref-daily.xml
  $ echo '{"base":"EUR","quote":"USD","rate":"1.1476","as_of":"2026-03-13T15:00:00Z"}' \\
      | kurs rates import -`;

async function importRates(
  { openStore, openFile, readRateFile, clock, print, printError }: CommandUses,
  file: string,
  { json }: OutputOptions,
): Promise<number> {
  await using store = openStore();
  const storeRateLines = createStoreRateLines({ store, clock });
  try {
    const count = await storeRateLines(readRateFile(openFile(file)), (line, reason) =>
      printError(`line ${line}: ${reason}`),
    );
    const { stored, rejected } = count;
    print(json ? JSON.stringify(count) : `stored ${stored}, rejected ${rejected}`);
    return rejected === 0 ? 0 : 1;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new CommandError(`cannot read ${file}: ${code === "ENOENT" ? "no such file" : code}`);
  }
}

async function listRates(
  { openStore, print }: CommandUses,
  base: string | undefined,
  { json }: OutputOptions,
): Promise<void> {
  const symbol = base === undefined ? undefined : symbolOf("base", base);
  await using store = openStore();
  const rates = await store.listRates(symbol);
  if (json) return print(JSON.stringify(rates.map(wireStoredRate), undefined, 2));
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
    { heading: "SOURCE" },
    { heading: "" },
  ] as const;
  const rows = rates.map(({ base, quote, rate, asOf, source, suspendedAt }) => {
    const time = asOf.replace(".000000000", "");
    return [`${base}/${quote}`, rate, time, source, suspendedAt === undefined ? "" : "suspended"];
  });
  print(table(columns, rows));
}

async function suspendRate(
  { openStore, print }: CommandUses,
  pair: Pair,
  at: string | undefined,
): Promise<void> {
  await using store = openStore();
  const name = `${pair.base}/${pair.quote}`;
  if (!(await store.suspendRate(pair, at))) {
    throw new CommandError(`there is no stored rate for ${name}: see kurs rates list`);
  }
  print(at === undefined ? `${name} is served again` : `${name} is suspended`);
}

function symbolOf(argument: "base" | "quote", text: string) {
  const symbol = parseSymbol(text);
  if (symbol !== undefined) return symbol;
  const rule = "want 2 to 10 letters A-Z or digits, such as EUR";
  throw new CommandError(`${argument} ${JSON.stringify(text)}: ${rule}`, 2);
}

function pairOf(base: string, quote: string): Pair {
  return { base: symbolOf("base", base), quote: symbolOf("quote", quote) };
}
