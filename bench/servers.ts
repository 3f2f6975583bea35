import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const ROOT = join(import.meta.dirname, "..");

/** A server in a process of its own. Disposing of it stops it and waits for its exit. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** From the start of its process to the time in its log line `listening`. */
  readonly startMs: number;
}

/**
 * Starts a program that prints `{"time":…,"msg":"listening","url":…}` on stdout. Its stdout is a
 * file, as in production: reading the log line by line here would use the load generator's core.
 */
async function startServer(
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

/** Starts Kurs as the systemd unit does, but with a high limit of log-ins and without sources. */
export function startKurs(
  { root }: { readonly root: string },
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
    ["--max-semi-space-size=16", join(root, "bin/kurs.js"), "serve"],
    { ...settings, ...environment },
    `${dataDirectory}.log`,
  );
}

/** Starts a yardstick by its file's name. Its log is in the directory. */
export function startYardstick(
  name: "bare" | "static-fastify" | "floor" | "plain",
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
    await sleep(20);
  }
  const errors = await readFile(`${logFile}.errors`, "utf8");
  throw new Error(`${child.spawnargs.join(" ")} exited with ${child.exitCode}: ${errors}`);
}
