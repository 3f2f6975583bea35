import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseWholeNumber } from "../src/platform/shared/text/whole-number.ts";
import { GENERATORS, type GeneratorName } from "./load/load.ts";

/** The options that are whole numbers, at least 1. */
const NUMBERS = {
  seconds: { type: "string", default: "5", what: "seconds of load in each round" },
  rounds: { type: "string", default: "3", what: "rounds of each target" },
  accounts: { type: "string", default: "100", what: "accounts in the small store" },
  lines: { type: "string", default: "1000000", what: "lines of an import" },
  calls: { type: "string", default: "200", what: "calls of each kind in enumeration" },
} as const;

const OTHERS = {
  connections: { type: "string", what: "N or N,N… instead of the scenario's own" },
  generator: { type: "string", what: `${GENERATORS.join(" or ")} (wrk if it is installed)` },
  before: { type: "string", what: "DIR: a checkout of another version, to compare with" },
  list: { type: "boolean", default: false, what: "print the scenarios and these options" },
  help: { type: "boolean", default: false, what: "print the same" },
} as const;

type NumberName = keyof typeof NUMBERS;

/** The settings of the command line; each scenario uses some of them. */
export interface BenchOptions extends Readonly<Record<NumberName, number>> {
  /** Connections that the load keeps busy, with a table for each; empty: the scenario's own. */
  readonly connections: readonly number[];
  /** The checkout of the version to compare with; undefined: none. */
  readonly before: string | undefined;
  /** Undefined: wrk if it is installed. */
  readonly generator: GeneratorName | undefined;
}

/** An invalid command line. */
export class UsageError extends Error {}

const USAGE_ERROR = 2;

/** Runs a program, whose exit code is 2 when its command line is invalid. */
export async function runProgram(main: (args: readonly string[]) => Promise<number>) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`bench: ${error.message}`);
    process.exitCode = USAGE_ERROR;
  }
}

/** A line for each option, with its default. */
export const OPTIONS_HELP = Object.entries({ ...NUMBERS, ...OTHERS })
  .map(([name, option]) => {
    const value = "default" in option && option.default ? ` (${option.default})` : "";
    return `--${name}`.padEnd(17) + option.what + value;
  })
  .join("\n");

/** @throws {UsageError} */
export function parseCommandLine(args: readonly string[]) {
  const { values, positionals } = parsed(args);
  const numbers = (Object.keys(NUMBERS) as NumberName[]).map((name) => {
    return [name, wholeNumber(name, values[name])];
  });
  const options: BenchOptions = {
    ...(Object.fromEntries(numbers) as Record<NumberName, number>),
    connections: (values.connections?.split(",") ?? []).map((text) =>
      wholeNumber("connections", text),
    ),
    before: checkout(values.before),
    generator: generatorOf(values.generator),
  };
  return { options, names: positionals, isHelp: values.list || values.help };
}

function parsed(args: readonly string[]) {
  const options = { ...NUMBERS, ...OTHERS };
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function wholeNumber(name: string, text: string): number {
  const value = parseWholeNumber(text, 1, Number.MAX_SAFE_INTEGER);
  if (value === undefined) throw new UsageError(`--${name}: want a whole number, at least 1`);
  return value;
}

function checkout(directory: string | undefined): string | undefined {
  if (directory === undefined || existsSync(join(directory, "node_modules"))) return directory;
  throw new UsageError("--before: want a checkout of Kurs in which `npm ci` has run");
}

function generatorOf(text: string | undefined): GeneratorName | undefined {
  const known = GENERATORS.find((name) => name === text);
  if (text !== undefined && known === undefined) {
    throw new UsageError(`--generator: want ${GENERATORS.join(" or ")}`);
  }
  return known;
}
