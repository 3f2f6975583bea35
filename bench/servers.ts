import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";

/** A server in a process of its own; disposing of it stops it and waits for its end. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/**
 * Starts a program that announces `{"msg":"listening","url":…}` on stdout. Its stdout is a file, as
 * it would be in production: reading a log line by line here would take the load's core.
 */
async function startServer(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  logFile: string,
): Promise<RunningServer> {
  const log = await open(logFile, "w");
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, ".."),
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", log.fd, "ignore"],
  });
  await log.close();
  return {
    url: await announcedUrl(child, logFile),
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Starts Kurs as it is installed: with ample quotas, and without sources, for nothing goes out. */
export function startKurs(
  dataDirectory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const settings = {
    PORT: "0",
    DATA_DIR: dataDirectory,
    PLAN_FREE_UNITS: "1000000000",
    AUTH_LIMIT: "1000000",
    RATE_SOURCES: "",
  };
  return startServer(
    ["src/main.ts", "serve"],
    { ...settings, ...environment },
    `${dataDirectory}.log`,
  );
}

/** The yardstick: a bare node:http server with a static answer. */
export function startBare(directory: string): Promise<RunningServer> {
  return startServer(["bench/bare-server.ts"], {}, join(directory, "bare.log"));
}

async function announcedUrl(child: ChildProcess, logFile: string): Promise<string> {
  while (child.exitCode === null) {
    const lines = (await readFile(logFile, "utf8")).split("\n").slice(0, -1);
    for (const line of lines) {
      const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
      if (msg === "listening" && url !== undefined) return url;
    }
    await after(20);
  }
  throw new Error(`the server ended with ${child.exitCode}: see ${logFile}`);
}
