import { parseArgs } from "node:util";
import { GENERATORS, type GeneratorName } from "./load/load.ts";

/** The options that are whole numbers from 1 on. */
const NUMBERS = {
  seconds: { type: "string", default: "5", what: "each round's load lasts" },
  rounds: { type: "string", default: "3", what: "turns of all that are compared" },
  accounts: { type: "string", default: "100", what: "accounts in the small store" },
  lines: { type: "string", default: "1000000", what: "lines of an import" },
  calls: { type: "string", default: "200", what: "calls of each kind in enumeration" },
} as const;

const OTHERS = {
  connections: { type: "string", what: "N or N,N… in place of the scenario's own" },
  generator: { type: "string", what: `${GENERATORS.join(" or ")}; wrk where the machine has it` },
  list: { type: "boolean", default: false, what: "names the scenarios and these options" },
} as const;

type NumberName = keyof typeof NUMBERS;

/** What may be set on the command line; a scenario uses what concerns it. */
export interface BenchOptions extends Readonly<Record<NumberName, number>> {
  /** Connections that the load keeps busy, one table for each; none: the scenario's own. */
  readonly connections: readonly number[];
  /** None: wrk where the machine has it. */
  readonly generator: GeneratorName | undefined;
}

/** A command line that cannot be followed. */
export class WrongUse extends Error {}

const WRONG_USE = 2;

/** Runs a program whose exit code is 2 when its command line cannot be followed. */
export async function runProgram(main: (args: readonly string[]) => Promise<number>) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    console.error(`bench: ${error.message}`);
    process.exitCode = WRONG_USE;
  }
}

export const OPTIONS_HELP = Object.entries({ ...NUMBERS, ...OTHERS }).map(([name, option]) => {
  const usual = "default" in option && option.default ? ` (${option.default})` : "";
  return `--${name}`.padEnd(15) + option.what + usual;
});

/** @throws {WrongUse} */
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
    generator: generatorOf(values.generator),
  };
  return { options, names: positionals, list: values.list };
}

function parsed(args: readonly string[]) {
  const options = { ...NUMBERS, ...OTHERS };
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new WrongUse(`--${name}: want 1 or more`);
  return value;
}

function generatorOf(text: string | undefined): GeneratorName | undefined {
  const known = GENERATORS.find((name) => name === text);
  if (text !== undefined && known === undefined) {
    throw new WrongUse(`--generator: want ${GENERATORS.join(" or ")}`);
  }
  return known;
}
