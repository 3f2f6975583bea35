import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A server in a process of its own; disposing of it stops it and waits for its end. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts a program that announces `{"msg":"listening","url":…}` on stdout. What it logs goes to a
 * file, as it would in production.
 */
export async function startServer(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  logFile: string,
): Promise<RunningServer> {
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, ".."),
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const log = createWriteStream(logFile);
  const announced = Promise.withResolvers<string>();
  child.once("exit", (code) => announced.reject(new Error(`the server ended with ${code}`)));
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    log.write(`${line}\n`);
    const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
    if (msg === "listening" && url !== undefined) announced.resolve(url);
  });
  return {
    url: await announced.promise,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
