import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { administer, type PostgresServer, startPostgres } from "../../test/support/postgres.ts";
import { hold } from "../contest.ts";
import type { Figures } from "../figures.ts";
import { restRead, type SlotCounts } from "../load/requests.ts";
import { cpuMicrosOf } from "../processes.ts";
import type { Contestant } from "../round.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { ROOT, type RunningServer, startKurs } from "../servers.ts";
import { agreed, UNITS } from "../stores/books.ts";
import { fillStore } from "../stores/fill.ts";
import { smallCounts } from "../stores/kurs.ts";
import { bareContestant } from "../yardsticks/contestants.ts";

const COSTS = `
  SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal,
    (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 FROM pg_stat_user_tables) AS rows`;

export const postgres: Scenario = {
  name: "postgres",
  summary: "metered reads on PostgreSQL by one node and by two, beside bare node:http",
  async run(bench) {
    const database = await startFilledPostgres(bench);
    const startNode = async (name: string) => {
      const environment = { DATABASE_URL: database.url() };
      return bench.cleanup.use(await startKurs(join(bench.directory, name), environment));
    };
    const [one, two] = [await startNode("one"), await startNode("two")];
    const counts = smallCounts(bench);
    const reads = (name: string, servers: readonly RunningServer[], of: SlotCounts): Contestant => {
      const unitsCharged = async () => agreed((await administer(database.url(), UNITS))[0]);
      const charges = { unitsCharged, unitsAnAnswer: 1 } as const;
      const meters = () => costsOf(database);
      return { name, servers, request: restRead, counts: of, charges, meters };
    };
    return hold(bench, {
      connections: [64],
      contestants: [
        await bareContestant(bench),
        reads("one node", [one], counts),
        reads("two nodes", [one, two], counts),
        reads("one hot account", [one], { ...counts, accounts: 1 }),
      ],
    });
  },
};

/** A PostgreSQL that syncs to disk, with the small store in it. */
async function startFilledPostgres(bench: Bench): Promise<PostgresServer> {
  const settings = { fsync: "on", shared_buffers: "256MB" };
  const database = bench.cleanup.use(await startPostgres({ settings }));
  const filledDirectory = join(bench.directory, "filled");
  await fillStore(filledDirectory, smallCounts(bench));
  const command = ["src/main.ts", "store", "copy", "--from", `sqlite:${filledDirectory}`];
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url() };
  await promisify(execFile)(process.execPath, command, { cwd: ROOT, env });
  return database;
}

async function costsOf(database: PostgresServer): Promise<Figures> {
  const [row] = (await administer(database.url(), COSTS)) as [{ wal: number; rows: number }];
  const postgresMicros = await cpuMicrosOf(database.pid);
  return { postgresMicros, walBytes: row.wal, rowsWritten: row.rows };
}
