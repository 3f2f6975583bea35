import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { administer, type PostgresServer } from "../../harness/postgres.ts";
import { type Figures, type Row, rowOf } from "../figures.ts";
import { cpuMicrosOf } from "../processes.ts";
import { runRound, type Target } from "../round.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { startKurs } from "../servers.ts";
import { kursTarget } from "../stores/kurs.ts";
import { startPostgresKurs } from "../stores/postgres.ts";
import { bareTarget } from "../yardsticks/targets.ts";

const COSTS = `
  SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal,
    (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 FROM pg_stat_user_tables) AS rows`;

export const postgres: Scenario = {
  name: "postgres",
  summary: "metered reads on PostgreSQL by one node and by two, compared with bare node:http",
  async run(bench) {
    const kurs = await startPostgresKurs(bench, "one");
    const { database, environment, counts } = kurs;
    const two = await startKurs(bench, join(bench.directory, "two"), environment);
    bench.cleanup.use(two);
    const reads = (name: string): Target => {
      return { ...kursTarget(name, kurs), readCounters: () => costsOf(database) };
    };
    const targets = [
      reads("one node"),
      { ...reads("two nodes"), servers: [kurs.server, two] },
      { ...reads("one hot account"), counts: { ...counts, accounts: 1 } },
    ];
    const buffers: Row[] = [];
    for (const target of targets) {
      buffers.push(rowOf(target.name, [await buffersOf(bench, target, database)]));
    }
    const { tables, failures } = await bench.compare({
      connections: [64],
      targets: [await bareTarget(bench), ...targets],
    });
    const title = "PostgreSQL's shared buffers that a read looks up";
    return { tables: [{ title, rows: buffers }, ...tables], failures };
  },
};

/** An idle session adds its counts to PostgreSQL's statistics after 10 s (pgstat.c). */
const STATISTICS_DELAY_MS = 11_000;

const BUFFERS = "SELECT sum(blks_hit + blks_read)::float8 AS buffers FROM pg_stat_database";

/** Its own round: the statistics of a round in turn would come during the next one. */
async function buffersOf(
  { load, options }: Bench,
  target: Target,
  database: PostgresServer,
): Promise<Figures> {
  const buffersLookedUp = async () => {
    await sleep(STATISTICS_DELAY_MS);
    const [row] = (await administer(database.url(), BUFFERS)) as [{ buffers: number }];
    return row.buffers;
  };
  const settings = { connections: 64, seconds: options.seconds };
  await runRound(target, load, settings);
  const before = await buffersLookedUp();
  const { responses } = await runRound(target, load, settings);
  return { buffers: ((await buffersLookedUp()) - before) / responses };
}

async function costsOf(database: PostgresServer): Promise<Figures> {
  const [row] = (await administer(database.url(), COSTS)) as [{ wal: number; rows: number }];
  const postgresMicros = await cpuMicrosOf(database.pid);
  return { postgresMicros, walBytes: row.wal, rowsWritten: row.rows };
}
