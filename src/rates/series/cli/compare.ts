import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../../platform/cli/command.ts";
import { type Column, createJsonPrinter, createTable } from "../../../platform/cli/output.ts";
import {
  type Decimal,
  isDecimal,
  movePoint,
  parseDecimal,
} from "../../../platform/shared/decimal.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import { quoted } from "../../../platform/shared/text/visible-text.ts";
import { symbolOf } from "../../served/cli/arguments.ts";
import { pairName } from "../../served/rules/symbol.ts";
import { type ComparedPairs, type Comparison, compareSources, differsBy } from "../compare.ts";
import { comparisonJson, differenceOf } from "../json.ts";
import type { SeriesCommandDeps } from "./arguments.ts";

interface CompareOptions extends OutputOptions {
  readonly above: string;
}

/** Adds `kurs rates compare`. */
export function compareCommand(rates: Command, deps: SeriesCommandDeps): void {
  rates
    .command("compare")
    .description("show the pairs for which sources published different figures of one date")
    .argument("[base]", "such as EUR")
    .argument("[quote]", "such as USD")
    .option("--above <percent>", "only differences of more than this, such as 0.5%", "0")
    .option("--json", "print them as JSON, with every figure")
    .addHelpText("after", compareExamples)
    .action((base: string | undefined, quote: string | undefined, options: CompareOptions) =>
      compare(deps, comparedOf(base, quote), options),
    );
}

const compareExamples = `
It compares the middle figures of the newest date that two sources have, also those that are not
served. The difference of the highest from the lowest is exact; in percent of the lowest it is
rounded to 4 decimal places.

Examples:
  $ kurs rates compare
  $ kurs rates compare EUR --above 0.5%
  $ kurs rates compare EUR CZK --json`;

function comparedOf(base: string | undefined, quote: string | undefined): ComparedPairs {
  return {
    base: base === undefined ? undefined : symbolOf("base", base),
    quote: quote === undefined ? undefined : symbolOf("quote", quote),
  };
}

/** Parses a number of percent. @returns the fraction. @throws {CommandError} it is invalid. */
function fractionOf(text: string): Decimal {
  const percent = parseDecimal(text.replace(/%$/, ""));
  if (isDecimal(percent)) return movePoint(percent, -2);
  throw new CommandError(`--above ${quoted(text)}: want a number of percent, such as 0.5%`, 2);
}

async function compare(
  { openStore, print, write, printError }: SeriesCommandDeps,
  pairs: ComparedPairs,
  { above, json }: CompareOptions,
): Promise<void> {
  const fraction = fractionOf(above);
  await using store = await openStore();
  const printer = createJsonPrinter(print);
  const rowsOf = createTable(columns);
  let compared = 0;
  let differing = 0;
  for await (const page of compareSources(store.series, pairs)) {
    const found = page.filter((comparison) => differsBy(comparison, fraction));
    compared += page.length;
    differing += found.length;
    if (json) printer.add(found.map(comparisonJson));
    else if (found.length > 0) await write(`${rowsOf(found)}\n`);
  }
  if (json) printer.end();
  else if (differing === 0) printError(noneDiffers(compared, above));
}

const columns: readonly Column<Comparison>[] = [
  ["PAIR", pairName],
  ["DATE", ({ date }) => date],
  ["LOWEST", ({ lowest }) => lowest.rate, "right"],
  ["SOURCE", ({ lowest }) => lowest.source],
  ["HIGHEST", ({ highest }) => highest.rate, "right"],
  ["SOURCE", ({ highest }) => highest.source],
  ["DIFFERENCE", (comparison) => differenceOf(comparison).difference, "right"],
  ["PERCENT", (comparison) => differenceOf(comparison).percent, "right"],
];

function noneDiffers(compared: number, above: string): string {
  if (compared === 0) return "No two sources have figures of one pair and date.";
  const by = `by more than ${above.replace(/%$/, "")} %`;
  return `No figures differ ${by}: compared ${counted(compared, "pair")}.`;
}
