import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";

export const ROOT = join(import.meta.dirname, "..");

/** A server in a process of its own; disposing of it stops it and waits for its end. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** From the start of its process until it listened, by its own account. */
  readonly startMs: number;
}

/**
 * Starts a program that announces `{"time":…,"msg":"listening","url":…}` on stdout. Its stdout is a
 * file, as it would be in production: reading a log line by line here would take the load's core.
 */
export async function startServer(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  logFile: string,
): Promise<RunningServer> {
  const log = await open(logFile, "w");
  const errors = await open(`${logFile}.errors`, "w");
  const spawnedAtMs = Date.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", log.fd, errors.fd],
  });
  await Promise.all([log.close(), errors.close()]);
  const { url, time } = await announcement(child, logFile);
  return {
    url,
    pid: child.pid ?? 0,
    startMs: Date.parse(time) - spawnedAtMs,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Starts Kurs as it is installed, but for the limit of log-ins and without sources to fetch. */
export function startKurs(
  dataDirectory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const settings = {
    PORT: "0",
    DATA_DIR: dataDirectory,
    AUTH_LIMIT: "1000000",
    RATE_SOURCES: "",
  };
  return startServer(
    ["bin/kurs.js", "serve"],
    { ...settings, ...environment },
    `${dataDirectory}.log`,
  );
}

/** A yardstick, by its file's name. Its log lies in the directory. */
export function startYardstick(
  name: "bare" | "static-fastify" | "plain",
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const logFile = join(directory, `${name}.log`);
  return startServer([`bench/yardsticks/${name}.ts`], environment, logFile);
}

interface Announcement {
  readonly msg: string;
  readonly url: string;
  readonly time: string;
}

async function announcement(child: ChildProcess, logFile: string): Promise<Announcement> {
  while (child.exitCode === null) {
    const lines = (await readFile(logFile, "utf8")).split("\n").slice(0, -1);
    for (const line of lines) {
      const announced = JSON.parse(line) as Announcement;
      if (announced.msg === "listening") return announced;
    }
    await after(20);
  }
  const errors = await readFile(`${logFile}.errors`, "utf8");
  throw new Error(`${child.spawnargs.join(" ")} ended with ${child.exitCode}: ${errors}`);
}
