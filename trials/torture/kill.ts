import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import type { Ended, Program } from "../../test/support/process.ts";
import type { Instant } from "./plan.ts";

/** A program that reaches neither its instant nor its work by then is killed anyway. */
const WAIT_MS_MAX = 10_000;

const DIE_AT_STATEMENT = join(import.meta.dirname, "exit-at-statement.ts");

/** The environment of a program that is to be killed at an instant. */
export function environmentFor(instant: Instant): Readonly<Record<string, string>> {
  if (!("statement" in instant)) return {};
  const { statement } = instant;
  return { NODE_OPTIONS: `--import=${DIE_AT_STATEMENT}`, DIE_AT_STATEMENT: String(statement) };
}

/**
 * Kills a program that has just been started: at its instant, or as soon as it works.
 *
 * @param startMs the usual duration of a start.
 */
export async function killAt(
  instant: Instant,
  { program, dataDirectory, startMs }: { program: Program; dataDirectory: string; startMs: number },
): Promise<Ended> {
  const over = new AbortController();
  const come = ownInstant(instant, dataDirectory, startMs, over.signal);
  const working = program.waitFor(
    "its work",
    () => program.stdout.includes('"listening"') || undefined,
  );
  // A program that ends by itself before that is not a failure.
  await Promise.race([come, working.catch(() => undefined), after(WAIT_MS_MAX, undefined, over)]);
  program.signal("SIGKILL");
  over.abort();
  await come;
  return await program.end();
}

async function ownInstant(
  instant: Instant,
  dataDirectory: string,
  startMs: number,
  signal: AbortSignal,
): Promise<void> {
  if ("part" in instant) {
    await after(instant.part * startMs, undefined, { signal }).catch(() => undefined);
    return;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve());
  // This program kills itself.
  if ("statement" in instant) return await promise;
  let changes = 0;
  const watcher = watch(dataDirectory, () => {
    changes += 1;
    if (changes === instant.change) resolve();
  });
  await promise;
  watcher.close();
}
