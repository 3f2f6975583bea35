// Measures the performance claims: `npm run bench`, `npm run bench -- NAME…`,
// `npm run bench -- --list`. docs/performance.md explains the tables.
import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { textOf } from "./figures.ts";
import {
  type BenchOptions,
  OPTIONS_HELP,
  parseCommandLine,
  runProgram,
  UsageError,
} from "./options.ts";
import { run } from "./run.ts";
import type { Report, Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/all.ts";
import { runBothVersions } from "./versions.ts";

const RESULTS = join(import.meta.dirname, "results");

await runProgram(main);

async function main(args: readonly string[]): Promise<number> {
  const { names, isHelp, options } = parseCommandLine(args);
  if (isHelp) {
    const usage = "usage: npm run bench -- [SCENARIO…] [OPTION…]";
    console.log([usage, "", ...scenarios.map(lineOf), "", OPTIONS_HELP].join("\n"));
    return 0;
  }
  let failures = 0;
  for (const scenario of selected(names)) failures += await runAndReport(scenario, options);
  console.log(failures === 0 ? "\nno failures" : `\nWRONG: ${failures} failures, see above`);
  return failures === 0 ? 0 : 1;
}

function lineOf({ name, summary }: Scenario): string {
  return `${name.padEnd(17)}${summary}`;
}

function selected(names: readonly string[]): readonly Scenario[] {
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0)
    throw new UsageError(`unknown scenario ${unknown.join(", ")}: see --list`);
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
}

/** A scenario that throws counts as a failure; the others still run. */
async function runAndReport(scenario: Scenario, options: BenchOptions): Promise<number> {
  console.log(`\n== ${lineOf(scenario)}`);
  try {
    const { before } = options;
    const report = await (before === undefined
      ? run((bench) => scenario.run(bench), options)
      : runBothVersions(scenario, before, options));
    for (const table of report.tables) console.log(textOf(table));
    for (const failure of report.failures) console.log(`WRONG: ${failure}`);
    await saveResult(scenario, options, report);
    return report.failures.length;
  } catch (error) {
    console.error("WRONG:", error);
    return 1;
  }
}

async function saveResult(
  { name }: Scenario,
  options: BenchOptions,
  report: Report,
): Promise<void> {
  const { version, platform, arch } = process;
  const processors = cpus().map(({ model }) => model);
  const machine = { node: version, platform, arch, processors };
  const file = join(RESULTS, `${name}.json`);
  const result = { scenario: name, at: new Date().toISOString(), machine, options, ...report };
  await mkdir(RESULTS, { recursive: true });
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
}
