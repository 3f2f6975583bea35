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
export async function killAt(instant: Instant, program: Program, startMs: number): Promise<Ended> {
  const over = new AbortController();
  const isWorking = () => program.stdout.includes('"listening"') || undefined;
  await Promise.race([
    // At a statement the program kills itself.
    after("part" in instant ? instant.part * startMs : WAIT_MS_MAX, undefined, over),
    // A program that ends by itself before that is not a failure.
    program.waitFor("its work", isWorking).catch(() => undefined),
  ]);
  program.signal("SIGKILL");
  over.abort();
  return await program.end();
}
