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
import { quoted, visibleLine } from "../../../platform/shared/text/visible-text.ts";
import { requirePair, requireSymbol, shortAsOf, sourcedText } from "../../served/cli/arguments.ts";
import { warnOfMissingKey } from "../../served/cli/commands.ts";
import { describeEnd } from "../../served/rules/ended-currencies.ts";
import { type Pair, pairName } from "../../served/rules/symbol.ts";
import { endOfRate, isImport } from "../../served/rules/update-policy.ts";
import { type ComparedPairs, type Comparison, compareSources, differsBy } from "../compare.ts";
import { comparisonJson, differenceOf } from "../json.ts";
import type { OwnerChange } from "../store.ts";
import { type SeriesCommandDeps, seriesOf, servedKindOf } from "./arguments.ts";

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
    base: base === undefined ? undefined : requireSymbol("base", base),
    quote: quote === undefined ? undefined : requireSymbol("quote", quote),
  };
}

/** Parses a number of percent. @returns the fraction. @throws {CommandError} it is invalid. */
function fractionOf(text: string): Decimal {
  const percent = parseDecimal(text.replace(/%$/, ""));
  if (isDecimal(percent)) return movePoint(percent, -2);
  throw new CommandError(`--above ${quoted(text)}: must be a number of percent, such as 0.5%`, 2);
}

async function compare(
  { openStore, print, write, printError }: SeriesCommandDeps,
  pairs: ComparedPairs,
  { above, json }: CompareOptions,
): Promise<void> {
  const fraction = fractionOf(above);
  await using store = await openStore();
  const printer = createJsonPrinter(print);
  const layOut = createTable(columns);
  let compared = 0;
  let differing = 0;
  for await (const page of compareSources(store.series, pairs)) {
    const found = page.filter((comparison) => differsBy(comparison, fraction));
    compared += page.length;
    differing += found.length;
    if (json) printer.add(found.map(comparisonJson));
    else if (found.length > 0) await write(`${layOut(found)}\n`);
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

/** Adds `kurs rates own`. */
export function ownCommand(
  rates: Command,
  deps: SeriesCommandDeps,
  setExitCode: (code: number) => void,
): void {
  rates
    .command("own")
    .description("give a pair to another source: its newest figure is served from now on")
    .argument("<base>", "such as EUR")
    .argument("<quote>", "such as CZK")
    .argument("<source>", "one in RATE_SOURCES, import or import:NAME")
    .addHelpText("after", ownExamples)
    .action(async (base: string, quote: string, source: string) =>
      setExitCode(await own(deps, requirePair(base, quote), source)),
    );
}

const ownExamples = `
The pair then belongs to this source while it is in RATE_SOURCES: figures of other sources are
stored, and not served. An import owns it until a source in RATE_SOURCES publishes the pair. A
figure that differs by more than RATE_MAX_JUMP is held: kurs rates held shows it. Exit code 1 then,
and when the newest figure is older than the served one, or of a table that has not begun.

Examples:
  $ kurs rates list EUR CZK
  $ kurs rates own EUR CZK cnb`;

async function own(deps: SeriesCommandDeps, pair: Pair, source: string): Promise<number> {
  const { settings, openStore, sourcesOf, headersOf, origin, print } = deps;
  const { rateSources, maxRateJump } = settings();
  await using store = await openStore();
  const kind = { asked: undefined, served: servedKindOf(source, sourcesOf) };
  const series = await seriesOf(store.series, pair, source, kind);
  if (!rateSources.includes(source) && !isImport(source)) {
    const why = "it is not in RATE_SOURCES, so the next source to publish the pair would own it";
    throw new CommandError(`${visibleLine(source)} cannot own ${pairName(pair)}: ${why}`);
  }
  await warnOfMissingKey(store, deps);
  const change = await store.series.own(series, { maxRateJump, headersOf, origin: origin() });
  print(explainChange(pair, source, change));
  return change.decision === "hold" ? 1 : 0;
}

/** @throws {CommandError} the source cannot own the pair. */
function explainChange(pair: Pair, source: string, change: OwnerChange): string {
  const name = pairName(pair);
  if (change.decision === "none") {
    const why = "no table of it with this pair has begun";
    throw new CommandError(`${source} cannot own ${name} yet: ${why}`);
  }
  const { decision, figure, former } = change;
  switch (decision) {
    case "serve": {
      const before = former === undefined ? "" : `; before: ${sourcedText(former)}`;
      return `${name} belongs to ${source}: ${figure.rate} as of ${shortAsOf(figure)}${before}`;
    }
    case "hold": {
      const { base, quote } = pair;
      const release = `kurs rates release ${base} ${quote} serves it and gives the pair to`;
      const jump = `it jumps too far from ${former?.rate}`;
      return `${name} ${figure.rate} from ${source} is held: ${jump}; ${release} ${source}`;
    }
    case "ended": {
      const end = endOfRate(figure);
      throw new CommandError(`${source} cannot own ${name}: ${end && describeEnd(end)}`);
    }
    case "owned":
      throw new CommandError(`${name} belongs to ${source} already`);
    case "older": {
      const served = former === undefined ? "" : ` than the served ${sourcedText(former)}`;
      const newest = `its newest figure, as of ${shortAsOf(figure)}, is older${served}`;
      throw new CommandError(`${source} cannot own ${name} yet: ${newest}`);
    }
  }
}
