import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { administer, type PostgresServer, startPostgres } from "../../harness/postgres.ts";
import type { Bench } from "../scenario.ts";
import { startKurs } from "../servers.ts";
import { CHARGED_UNITS, consistentTotal } from "./charged-units.ts";
import { type FilledKurs, type FillSettings, fillStoreOf, smallCounts } from "./kurs.ts";

/** Kurs on a PostgreSQL of its own, with the small store. */
export interface PostgresKurs extends FilledKurs {
  readonly database: PostgresServer;
  /** What a further node on the database needs. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a PostgreSQL that syncs to disk, copies the small store into it, and starts a node. */
export async function startPostgresKurs(
  bench: Bench,
  name: string,
  { environment = {}, statements = [] }: Omit<FillSettings, "counts"> = {},
): Promise<PostgresKurs> {
  const settings = { fsync: "on", shared_buffers: "256MB" };
  const database = bench.cleanup.use(await startPostgres({ settings }));
  const filled = join(bench.directory, `${name}-filled`);
  const counts = smallCounts(bench);
  await fillStoreOf(bench, filled, counts);
  const command = ["src/app/main.ts", "store", "copy", "--from", `sqlite:${filled}`];
  const onDatabase = { ...environment, DATABASE_URL: database.url() };
  const env = { PATH: process.env.PATH, ...onDatabase };
  await promisify(execFile)(process.execPath, command, { cwd: bench.root, env });
  await administer(database.url(), ...statements);
  const dataDirectory = join(bench.directory, name);
  const server = bench.cleanup.use(await startKurs(bench, dataDirectory, onDatabase));
  const unitsCharged = async () =>
    consistentTotal((await administer(database.url(), CHARGED_UNITS))[0]);
  return { server, counts, dataDirectory, unitsCharged, database, environment: onDatabase };
}
