import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../../harness/postgres.ts";
import { temporaryDirectory } from "../../test/support/process.ts";

/** Where Debian and Fedora install it. */
const PLACES = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"];

/** @returns the path of PgBouncer; undefined on a machine without it. */
export async function findPgBouncer(): Promise<string | undefined> {
  for (const path of PLACES) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/** Starts a real PgBouncer in transaction mode in front of a server without passwords. */
export async function startPgBouncer(path: string, serverPort: number) {
  await using starting = new AsyncDisposableStack();
  const { path: directory } = starting.use(await temporaryDirectory());
  const port = await freePort();
  const settings = [
    "[databases]",
    `* = host=127.0.0.1 port=${serverPort} user=postgres`,
    "[pgbouncer]",
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    "default_pool_size = 10",
  ];
  const file = join(directory, "pgbouncer.ini");
  await writeFile(file, settings.join("\n"));
  // It rejects to run as root.
  await chmod(directory, 0o755);
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const pooler = spawn(path, [...user, file], { stdio: ["ignore", "ignore", "pipe"] });
  starting.defer(() => end(pooler));
  let log = "";
  const isUp = Promise.withResolvers<void>();
  createInterface({ input: pooler.stderr }).on("line", (line) => {
    log += `${line}\n`;
    if (line.includes("process up")) isUp.resolve();
  });
  pooler.once("exit", () => isUp.reject(new Error(`PgBouncer ended:\n${log}`)));
  pooler.once("error", isUp.reject);
  await isUp.promise;
  const started = starting.move();
  return { port, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function end(pooler: ChildProcess): Promise<void> {
  if (pooler.exitCode !== null || pooler.signalCode !== null) return;
  pooler.kill("SIGKILL");
  await once(pooler, "exit");
}
