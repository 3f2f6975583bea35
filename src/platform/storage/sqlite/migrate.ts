import type { DatabaseSync } from "node:sqlite";
import { type MigrationReport, migrationsIn } from "../migrations.ts";

/**
 * Migrates a database to the program's schema: runs the numbered files that it does not have yet,
 * all in one transaction.
 *
 * @param database open under the exclusive lock, of a schema that this program knows.
 * @param backUp backs up an existing database before it is migrated, and returns how to remove the
 *   backup.
 */
export function migrate(
  database: DatabaseSync,
  backUp: (schema: number) => () => void,
): MigrationReport {
  const from = readVersion(database);
  const missing = migrationsIn("sqlite").filter(({ version }) => version > from);
  const to = missing.at(-1)?.version;
  if (to === undefined) return { from, to: from };

  // A file that cannot be read changes nothing, and no backup is made for it.
  const statements = missing.map(({ readSql }) => readSql());
  const removeBackup = readSchema(database) > 0 ? backUp(from) : undefined;
  try {
    database.exec("BEGIN IMMEDIATE");
    for (const sql of statements) database.exec(sql);
    database.exec(`PRAGMA user_version = ${to}`);
    database.exec("COMMIT");
  } catch (error) {
    // The database is as it was, and each further start would leave one more.
    removeBackup?.();
    throw error;
  }
  return { from, to };
}

/** The number of a database's last migration; 0 for a new one. */
export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** The number of a database's last migration; 0 for a database that is not ours. */
export function readSchema(database: DatabaseSync): number {
  const isOurs = "SELECT 1 FROM sqlite_schema WHERE name = 'database_id'";
  if (database.prepare(isOurs).get() === undefined) return 0;
  return readVersion(database);
}
