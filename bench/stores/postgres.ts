import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { administer, type PostgresServer, startPostgres } from "../../harness/postgres.ts";
import type { Bench } from "../scenario.ts";
import { CHARGED_UNITS, consistentTotal, type UnitsCharged } from "./charged-units.ts";
import { fillStoreOf, smallCounts } from "./kurs.ts";

/** Starts a PostgreSQL that syncs to disk, and copies the small store into it. */
export async function startFilledPostgres(bench: Bench, name = "filled"): Promise<PostgresServer> {
  const settings = { fsync: "on", shared_buffers: "256MB" };
  const database = bench.cleanup.use(await startPostgres({ settings }));
  const filledDirectory = join(bench.directory, name);
  await fillStoreOf(bench, filledDirectory, smallCounts(bench));
  const command = ["src/app/main.ts", "store", "copy", "--from", `sqlite:${filledDirectory}`];
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url() };
  await promisify(execFile)(process.execPath, command, { cwd: bench.root, env });
  return database;
}

/** Reads the units in PostgreSQL. */
export function postgresUnits(database: PostgresServer): UnitsCharged {
  return async () => consistentTotal((await administer(database.url(), CHARGED_UNITS))[0]);
}
