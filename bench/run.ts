import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare } from "./comparison.ts";
import { createLoad, defaultGenerator } from "./load/load.ts";
import type { BenchOptions } from "./options.ts";
import type { Bench, Report } from "./scenario.ts";
import { ROOT } from "./servers.ts";

/** Runs a scenario in a temporary directory of its own and then ends all that it started. */
export async function run(
  scenario: (bench: Bench) => Promise<Report>,
  options: BenchOptions,
): Promise<Report> {
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "kurs-bench-"));
  cleanup.defer(() => rm(directory, { recursive: true }));
  const generator = options.generator ?? defaultGenerator();
  const load = createLoad(generator, directory);
  const bench: Bench = {
    options,
    generator,
    load,
    root: ROOT,
    directory,
    cleanup,
    print: console.log,
    compare: (comparison) => compare(bench, comparison),
  };
  return await scenario(bench);
}
