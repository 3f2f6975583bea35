import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { type Row, rowOf, type Table } from "../figures.ts";
import { loadOpenly } from "../load/open-loop.ts";
import { API_KEY, type LoadRequest, usageRequest } from "../load/requests.ts";
import { residentMib } from "../processes.ts";
import { type Contestant, tryOut } from "../round.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { startKurs } from "../servers.ts";
import { type FilledKurs, readsOf, smallCounts, startFilledKurs } from "../stores/kurs.ts";
import { postgresBooks, startFilledPostgres } from "../stores/postgres.ts";

/** Arrivals, in parts of what the server serves when it is asked as fast as it answers. */
const FACTORS = [1, 2, 4];

/** As many as clients keep open at once; so many requests are under way at most. */
const CONNECTIONS = 4000;

/** What the server serves is measured with so many, which keep it busy and no more. */
const CAPACITY_CONNECTIONS = 256;

/** Between rounds, until the one before has been served to its end. */
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
  summary: "arrivals at 1, 2 and 4 times what is served, whatever was answered by then",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const contestants = [
      readsOf("reads", kurs),
      free("usage", kurs, usageRequest),
      free("MCP by the SDK", kurs, listTools),
      await readsOnPostgres(bench),
    ];
    const tables: Table[] = [];
    const failures: string[] = [];
    for (const contestant of contestants) {
      const rows: Row[] = [];
      await tryOut(contestant);
      const perSecond = await capacityOf(bench, contestant);
      for (const factor of FACTORS) {
        const { row, wrong } = await oneRound(bench, contestant, factor, perSecond);
        rows.push(row);
        failures.push(...wrong);
      }
      const title = `${contestant.name}: ${Math.round(perSecond)} a second with ${CAPACITY_CONNECTIONS} connections`;
      tables.push({ title, rows, notes: [] });
    }
    return { tables, failures };
  },
};

function free(name: string, kurs: FilledKurs, request: LoadRequest): Contestant {
  const charges = { unitsCharged: kurs.unitsCharged, unitsAnAnswer: 0 } as const;
  return { ...readsOf(name, kurs, request), charges };
}

async function readsOnPostgres(bench: Bench): Promise<Contestant> {
  const database = await startFilledPostgres(bench);
  const environment = { DATABASE_URL: database.url() };
  const server = bench.cleanup.use(await startKurs(join(bench.directory, "node"), environment));
  const counts = smallCounts(bench);
  const unitsCharged = postgresBooks(database);
  const kurs = { server, counts, dataDirectory: "", unitsCharged };
  return readsOf("reads on PostgreSQL", kurs);
}

async function capacityOf({ load, options }: Bench, contestant: Contestant): Promise<number> {
  const { request, counts, servers } = contestant;
  const url = servers[0]?.url ?? "";
  const settings = { url, request, counts, connections: CAPACITY_CONNECTIONS };
  await load({ ...settings, seconds: 2 });
  return (await load({ ...settings, seconds: options.seconds })).requestsPerSecond;
}

async function oneRound(
  { options, print }: Bench,
  { name, servers, request, counts, charges }: Contestant,
  factor: number,
  capacity: number,
) {
  const [server] = servers;
  if (server === undefined || charges === undefined) throw new Error(`${name}: nothing to load`);
  await after(PAUSE_MS);
  const unitsBefore = await charges.unitsCharged();
  const perSecond = Math.round(factor * capacity);
  const connections = options.connections[0] ?? CONNECTIONS;
  const { url, pid } = server;
  const { seconds } = options;
  const result = await loadOpenly({ url, request, counts, connections, seconds, perSecond });
  const units = (await charges.unitsCharged()) - unitsBefore;
  const { answers, refused, wrong, unsent } = result;
  const arrived = answers + refused + wrong + unsent;
  const figures = {
    offeredPerSecond: arrived / result.seconds,
    servedPerSecond: answers / result.seconds,
    refusedShare: refused / arrived,
    unsentShare: unsent / arrived,
    refusedP99Ms: result.refusedP99Ms,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    worstMs: result.worstMs,
    rssMib: await residentMib(pid),
  };
  const told = `${name}, ${factor}x: ${answers} served, ${refused} refused, ${wrong} wrong, units ${units}`;
  print(told);
  const isExact = units === answers * charges.unitsAnAnswer;
  return {
    row: rowOf(`${factor}x`, [figures]),
    wrong: wrong > 0 || !isExact ? [told] : [],
  };
}
