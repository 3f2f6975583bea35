import { setTimeout as sleep } from "node:timers/promises";
import { type Row, rowOf, type Table } from "../figures.ts";
import { runOpenLoop } from "../load/open-loop.ts";
import { API_KEY, type LoadRequest, usageRequest } from "../load/requests.ts";
import { residentMib } from "../processes.ts";
import { probe, type Target } from "../round.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";
import { startPostgresKurs } from "../stores/postgres.ts";

/** Request rates, as multiples of the capacity. */
const FACTORS = [1, 2, 4];

/** Connections, and therefore the most requests in flight. */
const CONNECTIONS = 4000;

/** Connections of the closed loop that measures the capacity: enough to keep the server busy. */
const CAPACITY_CONNECTIONS = 256;

/** Between rounds, so that the server has finished the round before. */
const PAUSE_MS = 1000;

const listTools: LoadRequest = {
  method: "POST",
  path: "/v1/mcp",
  headers: {
    authorization: `ApiKey ${API_KEY}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
  },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
};

export const overload: Scenario = {
  name: "overload",
  summary: "requests at 1, 2 and 4 times the capacity, however many responses are outstanding",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const targets = [
      kursTarget("reads", kurs),
      kursTarget("usage", kurs, usageRequest, 0),
      kursTarget("MCP by the SDK", kurs, listTools, 0),
      kursTarget("reads on PostgreSQL", await startPostgresKurs(bench, "postgres")),
    ];
    const tables: Table[] = [];
    const failures: string[] = [];
    for (const target of targets) {
      const rows: Row[] = [];
      await probe(target);
      const capacity = await capacityOf(bench, target);
      for (const factor of FACTORS) {
        const { row, wrong } = await measureRound(bench, target, factor, capacity);
        rows.push(row);
        failures.push(...wrong);
      }
      const title = `${target.name}: ${Math.round(capacity)} per second with ${CAPACITY_CONNECTIONS} connections`;
      tables.push({ title, rows });
    }
    return { tables, failures };
  },
};

async function capacityOf({ load, options }: Bench, target: Target): Promise<number> {
  const { request, counts, servers } = target;
  const url = servers[0]?.url ?? "";
  const settings = { url, request, counts, connections: CAPACITY_CONNECTIONS };
  await load({ ...settings, seconds: 2 });
  return (await load({ ...settings, seconds: options.seconds })).requestsPerSecond;
}

async function measureRound(
  { options, print }: Bench,
  { name, servers, request, counts, charges }: Target,
  factor: number,
  capacity: number,
) {
  const [server] = servers;
  if (server === undefined || charges === undefined) throw new Error(`${name}: nothing to load`);
  await sleep(PAUSE_MS);
  const unitsBefore = await charges.unitsCharged();
  const perSecond = Math.round(factor * capacity);
  const connections = options.connections[0] ?? CONNECTIONS;
  const { url, pid } = server;
  const { seconds } = options;
  const result = await runOpenLoop({ url, request, counts, connections, seconds, perSecond });
  const units = (await charges.unitsCharged()) - unitsBefore;
  const { succeeded, rejected, wrong, unsent } = result;
  const arrived = succeeded + rejected + wrong + unsent;
  const figures = {
    offeredPerSecond: arrived / result.seconds,
    servedPerSecond: succeeded / result.seconds,
    rejectedShare: rejected / arrived,
    unsentShare: unsent / arrived,
    rejectedP99Ms: result.rejectedP99Ms,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    worstMs: result.worstMs,
    rssMib: await residentMib(pid),
  };
  const summary = `${name}, ${factor}x: ${succeeded} served, ${rejected} rejected, ${wrong} wrong, units ${units}`;
  print(summary);
  const isExact = units === succeeded * charges.unitsPerResponse;
  return {
    row: rowOf(`${factor}x`, [figures]),
    wrong: wrong > 0 || !isExact ? [summary] : [],
  };
}
