import { spawn } from "node:child_process";
import { constants, getPriority, setPriority } from "node:os";
import { isSea } from "node:sea";

/** The result of a command in a process of its own. */
export interface EndedCommand {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** More output than any command of Kurs prints for a machine. */
const OUTPUT_CHARACTERS_MAX = 1_000_000;

/**
 * Runs a command of this program in a child process with the same environment and, so that it does
 * not slow a server, a lower priority.
 *
 * @param signal ends it.
 * @throws an error when it cannot be started.
 */
export async function runOwnCommand(
  args: readonly string[],
  signal: AbortSignal,
): Promise<EndedCommand> {
  // The single executable is the program; elsewhere Node.js runs the file in its first argument.
  const program = isSea() ? [] : [...process.execArgv, process.argv[1] ?? ""];
  const child = spawn(process.execPath, [...program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] = (output[name] + text).slice(0, OUTPUT_CHARACTERS_MAX);
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<EndedCommand>();
  child.on("error", reject);
  child.on("close", (exitCode) => resolve({ exitCode, ...output }));
  if (child.pid !== undefined) yieldToOthers(child.pid);
  return await promise;
}

function yieldToOthers(pid: number): void {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  try {
    setPriority(pid, Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
  } catch {
    // A sandbox may forbid it, or the process has ended already.
  }
}
