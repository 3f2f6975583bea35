import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Figures } from "./figures.ts";
import { peakMib } from "./processes.ts";
import type { BackgroundWork } from "./round.ts";
import type { Bench } from "./scenario.ts";

const WATCH_MS = 200;

/**
 * Runs a command of the measured version of Kurs on a data directory and measures its speed and its memory.
 *
 * @param lines how many it reads or writes, if it does.
 * @throws when it fails.
 */
export async function measureCommand(
  { root }: Pick<Bench, "root">,
  args: readonly string[],
  dataDirectory: string,
  lines?: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Figures> {
  const startedMs = performance.now();
  const settings = { DATA_DIR: dataDirectory, RATE_SOURCES: "", ...environment };
  const env = { PATH: process.env.PATH, ...settings };
  const command = ["bin/kurs.js", ...args];
  const child = spawn(process.execPath, command, { cwd: root, env, stdio: "ignore" });
  const peak = await peakUntilExit(child);
  if (child.exitCode !== 0) throw new Error(`kurs ${args[0]} exited with ${child.exitCode}`);
  const seconds = (performance.now() - startedMs) / 1000;
  const linesPerSecond = lines === undefined ? undefined : lines / seconds;
  return { seconds, linesPerSecond, peakMib: peak };
}

/**
 * A command that must last longer than the load: otherwise a part of the load ran without it.
 *
 * @param hint the error's message if it did not.
 */
export function duringLoad(figures: Promise<Figures>, hint: string): BackgroundWork {
  let isRunning = true;
  const ended = figures.finally(() => {
    isRunning = false;
  });
  // A failed command is reported by end(), not as an unhandled rejection.
  ended.catch(() => {});
  return {
    async end() {
      const wasRunning = isRunning;
      const figures = await ended;
      if (!wasRunning) throw new Error(hint);
      return figures;
    },
  };
}

/** Work that begins again and again until the load ends. @param work gets whether it has ended. */
export function untilLoadEnds(work: (isOver: () => boolean) => Promise<Figures>): BackgroundWork {
  let hasEnded = false;
  const ended = work(() => hasEnded);
  // As above.
  ended.catch(() => {});
  return {
    end() {
      hasEnded = true;
      return ended;
    },
  };
}

async function peakUntilExit(child: ChildProcess): Promise<number | undefined> {
  let peak: number | undefined;
  const watch = setInterval(async () => {
    peak = (await peakMib(child.pid ?? 0)) ?? peak;
  }, WATCH_MS);
  await once(child, "exit");
  clearInterval(watch);
  return peak;
}
