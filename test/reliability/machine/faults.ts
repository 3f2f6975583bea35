import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Program } from "../../support/process.ts";

const execute = promisify(execFile);

/** A shell line that becomes the program, which is its `"$@"`. */
export function runThrough(line: string): readonly string[] {
  return ["/bin/sh", "-c", line, "sh"];
}

/** The address that a server tells people, where its log is not to be had. */
export function untilAddress(program: Program): Promise<string> {
  return program.waitFor("its address", () => /listens on (\S+)/.exec(program.stderr)?.[1]);
}

/** Sets the soft limit of a resource for a running process: its owner may, and may raise it again. */
export async function limit(
  { pid }: Program,
  resource: "fsize" | "nofile",
  most: number | "unlimited",
): Promise<void> {
  await execute("prlimit", ["--pid", String(pid), `--${resource}=${most}:`]);
}
