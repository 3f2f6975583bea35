import { join } from "node:path";
import { type Ended, Program } from "../support/process.ts";

const ROOT = join(import.meta.dirname, "../..");
const NODE_OPTIONS = `--import=${join(import.meta.dirname, "client-sources.ts")}`;

/** A file of examples/. */
export const exampleFile = (name: string): string => join(ROOT, "examples", name);

/** Runs an example in a process of its own, with the environment that it asks for. */
export async function runExample(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const main = exampleFile(name);
  await using program = new Program(args, { main, env: { NODE_OPTIONS, ...env } });
  return await program.end();
}
