import { join } from "node:path";
import { restRead, type SlotCounts } from "../load/requests.ts";
import type { Target } from "../round.ts";
import type { Bench } from "../scenario.ts";
import { type RunningServer, startYardstick } from "../servers.ts";
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
