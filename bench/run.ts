import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLoad, defaultGenerator } from "./load/load.ts";
import type { BenchOptions } from "./options.ts";
import type { Bench, Report } from "./scenario.ts";

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
  return await scenario({ options, generator, load, directory, cleanup, print: console.log });
}
