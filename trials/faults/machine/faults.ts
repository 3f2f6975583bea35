import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { assertFailure } from "../../../test/support/assertions.ts";
import type { Customer } from "../../../test/support/client.ts";
import {
  type Program,
  type ProgramOptions,
  type Server,
  serve,
  temporaryDirectory,
} from "../../../test/support/process.ts";

const execute = promisify(execFile);

/** @param line a shell line that runs the program as `"$@"`. */
export function runThrough(line: string): readonly string[] {
  return ["/bin/sh", "-c", line, "sh"];
}

/** Sets a soft resource limit of a running process, which its owner may raise again. */
export async function limit(
  { pid }: Program,
  resource: "fsize" | "nofile",
  most: number | "unlimited",
): Promise<void> {
  await execute("prlimit", ["--pid", String(pid), `--${resource}=${most}:`]);
}

/** Lets a process open exactly a number of further files and connections. */
export async function leaveDescriptors(program: Program, more: number): Promise<void> {
  const open = new Set(await readdir(`/proc/${program.pid}/fd`));
  // The limit is on descriptor numbers, of which lower ones may already be in use.
  let most = 0;
  for (let free = 0; free < more || open.has(String(most)); most += 1) {
    if (!open.has(String(most))) free += 1;
  }
  await limit(program, "nofile", most);
}

export interface FaultyServer extends Server {
  /** Stops the server and asserts that it logged no internal error. @returns its log. */
  stopWell(): Promise<string>;
}

/** Starts a server on a new directory or a given one. */
export async function startServer(options: ProgramOptions = {}): Promise<FaultyServer> {
  await using starting = new AsyncDisposableStack();
  const dataDirectory = options.dataDirectory ?? starting.use(await temporaryDirectory()).path;
  const server = starting.use(await serve({ ...options, dataDirectory }));
  const started = starting.move();
  return {
    ...server,
    async stopWell() {
      const { exitCode, signal, stdout, stderr } = await server.stop();
      assert.deepEqual([exitCode, signal], [0, null], stderr);
      assert.doesNotMatch(stdout, /internal_error/);
      assert.doesNotMatch(stderr, /unhandled|uncaught|Error/i);
      return stdout;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** That a read is answered with the rate. */
export async function assertRead({ read }: Customer): Promise<void> {
  const answer = await read();
  assert.equal(answer.status, 200, answer.text);
}

/** That a read is rejected for now and the server is alive, but not ready. */
export async function assertUnavailable({ client, read }: Customer): Promise<void> {
  const answer = await read();
  assertFailure(answer, 503, "temporarily_unavailable");
  assert.doesNotMatch(answer.text, /disk|kurs\.db|sqlite|database/i);
  assertFailure(await client.get("/readyz"), 503, "temporarily_unavailable");
  assert.equal((await client.get("/healthz")).status, 200);
}

/** That the server is ready and a read is answered. */
export async function assertServed(customer: Customer): Promise<void> {
  assert.equal((await customer.client.get("/readyz")).status, 200);
  await assertRead(customer);
}

export const MOUNT = ["unshare", "--map-root-user", "--mount"] as const;

/** Whether a process may mount its own file system; many containers forbid it. */
export function mayMount(): boolean {
  try {
    execFileSync(MOUNT[0], [...MOUNT.slice(1), "mount", "-t", "tmpfs", "none", "/mnt"], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}
