// The metered read on PostgreSQL beside a bare node:http server, in turns in one run: one node, two
// nodes, all load on one account. Says what a read costs: processor time in the nodes and in
// PostgreSQL, bytes of write-ahead log, rows touched. Fails when a charge is missing.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { administer, startPostgres } from "../test/support/postgres.ts";
import { type BenchAccount, openAccounts } from "./accounts.ts";
import { createLoad, type Load, type LoadResult, restRead } from "./load.ts";
import { cpuMsOf } from "./processes.ts";
import { medianOf, meteredRound, TABLE_HEAD, tableLine, wordsOf } from "./rounds.ts";
import { type RunningServer, startBare, startKurs } from "./servers.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    accounts: { type: "string", default: "100" },
  },
});
const seconds = Number.parseInt(values.seconds, 10);
const rounds = Number.parseInt(values.rounds, 10);
const connections = Number.parseInt(values.connections, 10);

await using cleanup = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), "kurs-bench-"));
cleanup.defer(() => rm(directory, { recursive: true }));
const postgres = cleanup.use(
  await startPostgres({ settings: { fsync: "on", shared_buffers: "256MB" } }),
);
const startNode = async (name: string) =>
  cleanup.use(await startKurs(join(directory, name), { DATABASE_URL: postgres.url() }));
const bare = cleanup.use(await startBare(directory));
const [one, two] = [await startNode("one"), await startNode("two")];

interface Scenario {
  readonly name: string;
  readonly nodes: readonly RunningServer[];
  readonly accounts: readonly BenchAccount[];
  readonly results: LoadResult[];
  readonly costs: Cost[];
}

/** What a read costs, on average over a round. */
interface Cost {
  readonly nodeMicros: number;
  readonly postgresMicros: number;
  readonly walBytes: number;
  readonly rowsWritten: number;
}

const accounts = await openAccounts(one.url, Number.parseInt(values.accounts, 10));
const scenarios: Scenario[] = [
  { name: "one node", nodes: [one], accounts, results: [], costs: [] },
  { name: "two nodes", nodes: [one, two], accounts, results: [], costs: [] },
  { name: "one hot account", nodes: [one], accounts: accounts.slice(0, 1), results: [], costs: [] },
];

async function loadOf(scenario: Scenario): Promise<Load> {
  const requests = scenario.accounts.map(({ apiKey }) => restRead(apiKey));
  const share = Math.ceil(connections / scenario.nodes.length);
  const name = scenario.name.replaceAll(" ", "-");
  const load = await createLoad({
    requests,
    connections: share,
    directory: await mkdtemp(join(directory, name)),
  });
  // Several nodes share the connections, and their figures are added up.
  const run = async (_url: string, forSeconds: number) => {
    const parts = await Promise.all(scenario.nodes.map(({ url }) => load.run(url, forSeconds)));
    const sum = (figure: (result: LoadResult) => number) =>
      parts.reduce((total, part) => total + figure(part), 0);
    const most = (figure: (result: LoadResult) => number) => Math.max(...parts.map(figure));
    return {
      answers: sum(({ answers }) => answers),
      refused: sum(({ refused }) => refused),
      requestsPerSecond: sum(({ requestsPerSecond }) => requestsPerSecond),
      p50Ms: most(({ p50Ms }) => p50Ms),
      p99Ms: most(({ p99Ms }) => p99Ms),
      maxMs: most(({ maxMs }) => maxMs),
    };
  };
  return { name: load.name, run };
}

interface Meters {
  readonly nodesMs: number;
  readonly postgresMs: number;
  readonly walBytes: number;
  readonly rows: number;
}

const METERS = `
  SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal,
    (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 FROM pg_stat_user_tables) AS rows`;

async function metersOf({ nodes }: Scenario): Promise<Meters> {
  const cpu = await Promise.all(nodes.map(({ pid }) => cpuMsOf(pid)));
  const [row] = (await administer(postgres.url(), METERS)) as [{ wal: number; rows: number }];
  const postgresMs = await cpuMsOf(postgres.pid);
  const nodesMs = cpu.reduce((sum, ms) => sum + ms, 0);
  return { nodesMs, postgresMs, walBytes: row.wal, rows: row.rows };
}

const bareLoad = await createLoad({
  requests: accounts.map(({ apiKey }) => restRead(apiKey)),
  connections,
  directory,
});
const loads = new Map<Scenario, Load>();
for (const scenario of scenarios) loads.set(scenario, await loadOf(scenario));
for (const [{ nodes }, load] of loads) await load.run(nodes[0]?.url ?? "", 2);

const bareResults: LoadResult[] = [];
let wrong = 0;
for (let round = 1; round <= rounds; round += 1) {
  bareResults.push(await bareLoad.run(bare.url, seconds));
  for (const [scenario, load] of loads) {
    const before = await metersOf(scenario);
    const metered = await meteredRound(load, scenario.nodes[0]?.url ?? "", {
      accounts: scenario.accounts,
      seconds,
      connections,
    });
    const after = await metersOf(scenario);
    const reads = metered.charged;
    scenario.results.push(metered.result);
    scenario.costs.push({
      nodeMicros: ((after.nodesMs - before.nodesMs) * 1000) / reads,
      postgresMicros: ((after.postgresMs - before.postgresMs) * 1000) / reads,
      walBytes: (after.walBytes - before.walBytes) / reads,
      rowsWritten: (after.rows - before.rows) / reads,
    });
    if (!metered.isExact) wrong += 1;
    console.log(`round ${round}, ${scenario.name}: ${wordsOf(metered)}`);
  }
}

const rate = (results: readonly LoadResult[]) =>
  medianOf(results, (result) => result.requestsPerSecond);
const median = (costs: readonly Cost[], figure: (cost: Cost) => number) =>
  costs.map(figure).sort((left, right) => left - right)[costs.length >> 1] ?? 0;
const costLine = ({ name, results, costs }: Scenario) =>
  [
    name.padEnd(18),
    (rate(results) / rate(bareResults)).toFixed(3).padStart(8),
    median(costs, ({ nodeMicros }) => nodeMicros)
      .toFixed(1)
      .padStart(12),
    median(costs, ({ postgresMicros }) => postgresMicros)
      .toFixed(1)
      .padStart(14),
    median(costs, ({ walBytes }) => walBytes)
      .toFixed(0)
      .padStart(11),
    median(costs, ({ rowsWritten }) => rowsWritten)
      .toFixed(2)
      .padStart(14),
  ].join("");

console.log(`
${bareLoad.name}, ${connections} connections, ${accounts.length} accounts, ${rounds} x ${seconds} s, medians
${TABLE_HEAD}
${tableLine("bare node:http", bareResults)}
${scenarios.map(({ name, results }) => tableLine(name, results)).join("\n")}

a read                 ratio   µs in nodes   µs in Postgres   WAL bytes   rows written
${scenarios.map(costLine).join("\n")}
rounds with a missing or surplus charge: ${wrong}`);
process.exitCode = wrong === 0 ? 0 : 1;
