import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { administer } from "../../harness/postgres.ts";
import { FILE_NAME } from "../../src/platform/storage/sqlite/database-file.ts";
import { restRead } from "../load/requests.ts";
import type { Target } from "../round.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { startKurs } from "../servers.ts";
import { sqliteUnits } from "../stores/charged-units.ts";
import { fillStoreOf, kursTarget, smallCounts } from "../stores/kurs.ts";
import { postgresUnits, startFilledPostgres } from "../stores/postgres.ts";

/** What limits the reads of every account of a store. */
const LIMITS = {
  "no limits": [],
  caps: ["UPDATE api_keys SET units_per_period = 1000000000, units_per_day = 1000000000"],
  grants: [
    "UPDATE plans SET units_per_period = 0",
    `INSERT INTO unit_grants (id, account_id, units, reference, granted_at)
    SELECT id, id, 1000000000, 'bench', created_at FROM accounts`,
  ],
} as const;

type Limit = keyof typeof LIMITS;

export const limits: Scenario = {
  name: "limits",
  summary: "reads of keys with caps and of accounts on granted units, compared with those without",
  async run(bench) {
    const names = Object.keys(LIMITS) as Limit[];
    const targets: Target[] = [];
    for (const name of names) targets.push(await onSqlite(bench, name));
    for (const name of names) targets.push(await onPostgres(bench, name));
    return bench.compare({
      connections: [64],
      targets,
      ratios: [
        ["caps", "no limits"],
        ["grants", "no limits"],
        ["PostgreSQL: caps", "PostgreSQL: no limits"],
        ["PostgreSQL: grants", "PostgreSQL: no limits"],
      ],
    });
  },
};

async function onSqlite(bench: Bench, name: Limit): Promise<Target> {
  const dataDirectory = join(bench.directory, name);
  const counts = smallCounts(bench);
  await fillStoreOf(bench, dataDirectory, counts);
  {
    using database = new DatabaseSync(join(dataDirectory, FILE_NAME));
    for (const statement of LIMITS[name]) database.exec(statement);
  }
  const server = bench.cleanup.use(await startKurs(bench, dataDirectory));
  return kursTarget(name, {
    server,
    counts,
    dataDirectory,
    unitsCharged: sqliteUnits(dataDirectory),
  });
}

async function onPostgres(bench: Bench, name: Limit): Promise<Target> {
  const database = await startFilledPostgres(bench, `copied ${name}`);
  await administer(database.url(), ...LIMITS[name]);
  const environment = { DATABASE_URL: database.url() };
  const directory = join(bench.directory, `node ${name}`);
  const server = bench.cleanup.use(await startKurs(bench, directory, environment));
  const charges = { unitsCharged: postgresUnits(database), unitsPerResponse: 1 } as const;
  const counts = smallCounts(bench);
  return { name: `PostgreSQL: ${name}`, servers: [server], request: restRead, counts, charges };
}
