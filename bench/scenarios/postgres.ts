import { join } from "node:path";
import { administer, type PostgresServer } from "../../harness/postgres.ts";
import { compare } from "../comparison.ts";
import type { Figures } from "../figures.ts";
import { restRead, type SlotCounts } from "../load/requests.ts";
import { cpuMicrosOf } from "../processes.ts";
import type { Target } from "../round.ts";
import type { Scenario } from "../scenario.ts";
import { type RunningServer, startKurs } from "../servers.ts";
import { smallCounts } from "../stores/kurs.ts";
import { postgresUnits, startFilledPostgres } from "../stores/postgres.ts";
import { bareTarget } from "../yardsticks/targets.ts";

const COSTS = `
  SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal,
    (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 FROM pg_stat_user_tables) AS rows`;

export const postgres: Scenario = {
  name: "postgres",
  summary: "metered reads on PostgreSQL by one node and by two, compared with bare node:http",
  async run(bench) {
    const database = await startFilledPostgres(bench);
    const startNode = async (name: string) => {
      const environment = { DATABASE_URL: database.url() };
      return bench.cleanup.use(await startKurs(join(bench.directory, name), environment));
    };
    const [one, two] = [await startNode("one"), await startNode("two")];
    const counts = smallCounts(bench);
    const reads = (name: string, servers: readonly RunningServer[], of: SlotCounts): Target => {
      const charges = { unitsCharged: postgresUnits(database), unitsPerResponse: 1 } as const;
      const readCounters = () => costsOf(database);
      return { name, servers, request: restRead, counts: of, charges, readCounters };
    };
    return compare(bench, {
      connections: [64],
      targets: [
        await bareTarget(bench),
        reads("one node", [one], counts),
        reads("two nodes", [one, two], counts),
        reads("one hot account", [one], { ...counts, accounts: 1 }),
      ],
    });
  },
};

async function costsOf(database: PostgresServer): Promise<Figures> {
  const [row] = (await administer(database.url(), COSTS)) as [{ wal: number; rows: number }];
  const postgresMicros = await cpuMicrosOf(database.pid);
  return { postgresMicros, walBytes: row.wal, rowsWritten: row.rows };
}
