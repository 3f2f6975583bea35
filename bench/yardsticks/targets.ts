import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { restRead, type SlotCounts } from "../load/requests.ts";
import type { Target } from "../round.ts";
import type { Bench } from "../scenario.ts";
import { ROOT, type RunningServer, startServer, startYardstick } from "../servers.ts";
import { sqliteUnits } from "../stores/charged-units.ts";
import { fillStore } from "../stores/fill.ts";
import { smallCounts } from "../stores/kurs.ts";

/** The yardstick in the first row of most tables. */
export const BARE = "bare node:http";

function yardstick(name: string, server: RunningServer, counts: SlotCounts): Target {
  return { name, servers: [server], request: restRead, counts, isYardstick: true };
}

export async function bareTarget(bench: Bench): Promise<Target> {
  const server = bench.cleanup.use(await startYardstick("bare", bench.directory));
  return yardstick(BARE, server, smallCounts(bench));
}

export async function staticFastifyTarget(bench: Bench): Promise<Target> {
  const server = bench.cleanup.use(await startYardstick("static-fastify", bench.directory));
  return yardstick("Fastify, static response", server, smallCounts(bench));
}

/** The same system calls as those of metered reads, and nothing else. */
export async function floorTarget(bench: Bench): Promise<Target> {
  const environment = { DATA_DIR: bench.directory };
  const server = bench.cleanup.use(await startYardstick("floor", bench.directory, environment));
  return yardstick("the same system calls", server, smallCounts(bench));
}

export async function plainTarget(bench: Bench): Promise<Target> {
  const counts = smallCounts(bench);
  const dataDirectory = join(bench.directory, "plain-data");
  await fillStore(dataDirectory, counts);
  const environment = { DATA_DIR: dataDirectory };
  const server = bench.cleanup.use(await startYardstick("plain", bench.directory, environment));
  const charges = { unitsCharged: sqliteUnits(dataDirectory), unitsPerResponse: 1 } as const;
  return { ...yardstick("Fastify + node:sqlite", server, counts), charges };
}

const PEER = join(ROOT, "bench/peer");
const PEER_UNITS = 1_000_000_000;

/** @returns undefined, and prints why, when the peer cannot be installed. */
export async function peerTarget(bench: Bench): Promise<Target | undefined> {
  if (!(await installPeer(bench))) return undefined;
  const counts = smallCounts(bench);
  const dataDirectory = join(bench.directory, "peer-data");
  await mkdir(dataDirectory);
  const environment = {
    DATA_DIR: dataDirectory,
    ACCOUNTS: String(counts.accounts),
    PAIRS: String(counts.pairs),
    UNITS: String(PEER_UNITS),
  };
  const logFile = join(bench.directory, "peer.log");
  const server = await startServer([join(PEER, "server.js")], environment, logFile);
  bench.cleanup.use(server);
  const unitsCharged = async () => {
    using database = new DatabaseSync(join(dataDirectory, "peer.db"), { readOnly: true });
    const sum = "SELECT sum(:units - remaining) AS units FROM apikey";
    return Number(database.prepare(sum).get({ units: PEER_UNITS })?.units);
  };
  const charges = { unitsCharged, unitsPerResponse: 1 } as const;
  return { ...yardstick("better-auth's API keys", server, counts), charges };
}

async function installPeer({ print }: Bench): Promise<boolean> {
  const modifiedMs = (file: string) =>
    statSync(join(PEER, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (modifiedMs("node_modules/.package-lock.json") >= modifiedMs("package-lock.json")) return true;
  print("installing the peer …");
  const options = { cwd: PEER, shell: process.platform === "win32" };
  try {
    await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund"], options);
    return true;
  } catch (error) {
    print(`the peer is left out because it could not be installed: ${(error as Error).message}`);
    return false;
  }
}
