import { parseArgs } from "node:util";
import { GENERATORS, type GeneratorName } from "./load/load.ts";

/** What may be set on the command line; a scenario uses what concerns it. */
export interface BenchOptions {
  readonly seconds: number;
  readonly rounds: number;
  /** Connections that the load keeps busy, one table for each; none: the scenario's own. */
  readonly connections: readonly number[];
  /** Accounts in the small store. */
  readonly accounts: number;
  /** Lines of an import. */
  readonly lines: number;
  /** Calls of each kind whose times are compared. */
  readonly calls: number;
  /** None: wrk where the machine has it. */
  readonly generator: GeneratorName | undefined;
}

/** A command line that cannot be followed. */
export class WrongUse extends Error {}

const numbers = {
  seconds: ["5", "each round's load lasts"],
  rounds: ["3", "turns of all that are compared; the medians are shown"],
  accounts: ["100", "accounts in the small store"],
  lines: ["1000000", "lines of an import"],
  calls: ["200", "calls of each kind in enumeration"],
} as const;

export const OPTIONS_HELP = [
  ...Object.entries(numbers).map(([name, [value, what]]) => `--${name} N (${value})  ${what}`),
  "--connections N,N  connections kept busy, a table for each (else the scenario's own)",
  `--generator ${GENERATORS.join("|")}  what makes the load (wrk where the machine has it)`,
  "--list  names the scenarios",
];

/** @throws {WrongUse} */
export function parseCommandLine(args: readonly string[]) {
  const { values, positionals } = parsed(args);
  const options: BenchOptions = {
    seconds: wholeNumber("seconds", values.seconds),
    rounds: wholeNumber("rounds", values.rounds),
    accounts: wholeNumber("accounts", values.accounts),
    lines: wholeNumber("lines", values.lines),
    calls: wholeNumber("calls", values.calls),
    connections: (values.connections?.split(",") ?? []).map((text) =>
      wholeNumber("connections", text),
    ),
    generator: generatorOf(values.generator),
  };
  return { options, names: positionals, list: values.list };
}

function parsed(args: readonly string[]) {
  const number = (name: keyof typeof numbers) =>
    ({ type: "string", default: numbers[name][0] }) as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seconds: number("seconds"),
        rounds: number("rounds"),
        accounts: number("accounts"),
        lines: number("lines"),
        calls: number("calls"),
        connections: { type: "string" },
        generator: { type: "string" },
        list: { type: "boolean", default: false },
      },
    });
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
