// Measures the performance claims with one command: `npm run bench`, `npm run bench -- NAME…`,
// `npm run bench -- --list`. See docs/performance.md for how to read the tables.
import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { textOf } from "./figures.ts";
import {
  type BenchOptions,
  OPTIONS_HELP,
  parseCommandLine,
  runProgram,
  WrongUse,
} from "./options.ts";
import { run } from "./run.ts";
import type { Report, Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/all.ts";

const RESULTS = join(import.meta.dirname, "results");

await runProgram(main);

async function main(args: readonly string[]): Promise<number> {
  const { names, list, options } = parseCommandLine(args);
  if (list) {
    console.log([...scenarios.map(lineOf), "", ...OPTIONS_HELP].join("\n"));
    return 0;
  }
  let failures = 0;
  for (const scenario of chosen(names)) failures += await runAndTell(scenario, options);
  console.log(failures === 0 ? "\nall is as it must be" : `\nWRONG: ${failures}, see above`);
  return failures === 0 ? 0 : 1;
}

function lineOf({ name, summary }: Scenario): string {
  return `${name.padEnd(13)}${summary}`;
}

function chosen(names: readonly string[]): readonly Scenario[] {
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) throw new WrongUse(`no scenario ${unknown.join(", ")}: see --list`);
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
}

/** A scenario that breaks off is a failure, and the others run all the same. */
async function runAndTell(scenario: Scenario, options: BenchOptions): Promise<number> {
  console.log(`\n== ${lineOf(scenario)}`);
  try {
    const report = await run((bench) => scenario.run(bench), options);
    for (const table of report.tables) console.log(textOf(table));
    for (const failure of report.failures) console.log(`WRONG: ${failure}`);
    await keep(scenario, options, report);
    return report.failures.length;
  } catch (error) {
    console.error("WRONG:", error);
    return 1;
  }
}

async function keep({ name }: Scenario, options: BenchOptions, report: Report): Promise<void> {
  const { version, platform, arch } = process;
  const processors = cpus().map(({ model }) => model);
  const machine = { node: version, platform, arch, processors };
  const file = join(RESULTS, `${name}.json`);
  const result = { scenario: name, at: new Date().toISOString(), machine, options, ...report };
  await mkdir(RESULTS, { recursive: true });
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
}
