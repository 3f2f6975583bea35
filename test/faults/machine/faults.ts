import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { readdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assertFailure } from "../../support/assertions.ts";
import type { Customer } from "../../support/client.ts";
import {
  type Program,
  type ProgramOptions,
  type Server,
  serve,
  temporaryDirectory,
} from "../../support/process.ts";

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

/** Lets a process open so many files and connections more, and no others. */
export async function leaveDescriptors(program: Program, more: number): Promise<void> {
  const open = new Set(await readdir(`/proc/${program.pid}/fd`));
  // The limit is a number that no new descriptor reaches; those below it may be taken already.
  let most = 0;
  for (let free = 0; free < more || open.has(String(most)); most += 1) {
    if (!open.has(String(most))) free += 1;
  }
  await limit(program, "nofile", most);
}

export interface FaultyServer extends Server {
  /** Stops it in order: it never took the machine's failure for one of its own. @returns its log. */
  stopWell(): Promise<string>;
}

/** A server on a directory of its own, or on a given one. */
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

/** That a read is refused for now and the server is alive, but not ready. */
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

/** A server on a disk that can be filled. */
export interface FillableDisk extends AsyncDisposable {
  readonly server: FaultyServer;
  /** How it is done on this machine. */
  readonly way: string;
  fill(): Promise<void>;
  empty(): Promise<void>;
}

const MOUNT = ["unshare", "--map-root-user", "--mount"] as const;

/** Whether a process of ours may have a file system of its own; in many containers it may not. */
function mayMount(): boolean {
  try {
    execFileSync(MOUNT[0], [...MOUNT.slice(1), "mount", "-t", "tmpfs", "none", "/mnt"], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}

/**
 * A server whose data are on a disk of their own, of a few megabytes; where nothing may be mounted,
 * its files may not grow instead, which the system tells by another error.
 */
export async function fillsUp(dataDirectory: string): Promise<FillableDisk> {
  if (!mayMount()) {
    const server = await startServer({ dataDirectory });
    return {
      server,
      way: "by a limit on the size of files",
      fill: () => limit(server.program, "fsize", 4096),
      empty: () => limit(server.program, "fsize", "unlimited"),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }
  const mounted = 'mount -t tmpfs -o size=4m none "$DATA_DIR" && exec "$@"';
  const server = await startServer({
    dataDirectory,
    env: { PATH: process.env.PATH ?? "" },
    through: [...MOUNT, ...runThrough(mounted)],
  });
  const inside = join(`/proc/${server.program.pid}/root`, dataDirectory);
  const filler = join(inside, "filler");
  return {
    server,
    way: "by a tmpfs of 4 MB",
    async fill() {
      const { blocks, bsize } = await statfs(inside);
      // Larger than the whole disk: the server, which writes meanwhile, is left no room.
      await assert.rejects(writeFile(filler, Buffer.alloc(blocks * bsize)), { code: "ENOSPC" });
    },
    empty: () => rm(filler),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
