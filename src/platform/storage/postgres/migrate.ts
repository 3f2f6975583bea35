import type { PoolClient } from "pg";
import {
  knownSchema,
  type MigrationReport,
  migrationsIn,
  requireKnownSchema,
} from "../migrations.ts";
import { commit } from "./commit.ts";
import type { Primary } from "./primary.ts";
import { useSchemaAlone } from "./schema-lock.ts";

/** The process that migrates holds it; others wait. Any number that nothing else uses will do. */
const MIGRATION_LOCK = 5_278_777;

/** Lists the numbered files that were run; the greatest number is the schema's version. */
const CREATE_MIGRATIONS_TABLE = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    version integer PRIMARY KEY,
    run_at timestamptz NOT NULL DEFAULT now()
  )`;

/**
 * Migrates a database to the program's schema: runs the numbered files that it does not have yet in
 * one transaction, one process at a time, while no process of another version uses the tables.
 *
 * @param client to be closed after an error, which ends the transaction.
 * @throws {StartupError} when the program does not know the schema, or the database is in use.
 */
export async function migrate(client: PoolClient, primary: Primary): Promise<MigrationReport> {
  const known = knownSchema("postgres");
  const present = await readVersion(client);
  if (present === known) return { from: present, to: known };

  await client.query("BEGIN");
  await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  await client.query(CREATE_MIGRATIONS_TABLE);
  const from = await readVersion(client);
  requireKnownSchema("postgres", "The PostgreSQL database", from);
  if (from < known) {
    await useSchemaAlone(
      client,
      (addresses) =>
        `The PostgreSQL database has schema ${from}, this program needs ${known}, and nodes or ` +
        `commands of another version use it (from ${addresses}): stop them, and start again.`,
    );
  }
  for (const { version, readSql } of migrationsIn("postgres")) {
    if (version <= from) continue;
    await client.query(readSql());
    await client.query("INSERT INTO schema_migrations (version) VALUES ($1)", [version]);
  }
  await commit(client, primary);
  return { from, to: known };
}

/** The schema's version; 0 in an empty database. */
export async function readVersion(client: PoolClient): Promise<number> {
  const { rows: tables } = await client.query("SELECT to_regclass('schema_migrations') AS found");
  if (tables[0]?.found === null) return 0;
  const { rows } = await client.query("SELECT max(version) AS version FROM schema_migrations");
  return rows[0]?.version ?? 0;
}
