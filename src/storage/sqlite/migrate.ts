import type { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/program/start-error.ts";
import { type MigrationReport, migrationsIn } from "../migrations.ts";

/**
 * Migrates a database to the program's schema: runs the numbered files that it does not have yet,
 * all in one transaction.
 *
 * @param database open under the exclusive lock.
 * @param backUp backs up an existing database before it is migrated, and returns how to remove the
 *   backup.
 * @throws {StartupError} when the database was written by a newer program.
 */
export function migrate(
  database: DatabaseSync,
  file: string,
  backUp: (schema: number) => () => void,
): MigrationReport {
  const migrations = migrationsIn("sqlite");
  const [from, to] = [versionOf(database), migrations.length];
  if (from > to) throw newerSchema(file, from);
  if (from === to) return { from, to };

  const removeBackup = schemaOf(database) > 0 ? backUp(from) : undefined;
  try {
    database.exec("BEGIN IMMEDIATE");
    for (const sql of migrations.slice(from)) database.exec(sql);
    database.exec(`PRAGMA user_version = ${to}`);
    database.exec("COMMIT");
  } catch (error) {
    // The database is as it was, and each further start would leave one more.
    removeBackup?.();
    throw error;
  }
  return { from, to };
}

/** The error for a database that a newer program has migrated. */
export function newerSchema(
  file: string,
  version: number,
  advice = "start that newer program, or set DATA_DIR to another directory",
): StartupError {
  return new StartupError(
    `The database ${file} was written by a newer Kurs (its schema is ${version}, this program ` +
      `knows ${knownSchema()}): ${advice}.`,
  );
}

/** The number of a database's last migration; 0 for a new one. */
export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** The number of a database's last migration; 0 for a database that is not ours. */
export function schemaOf(database: DatabaseSync): number {
  const isOurs = "SELECT 1 FROM sqlite_schema WHERE name = 'period_usage'";
  if (database.prepare(isOurs).get() === undefined) return 0;
  return versionOf(database);
}

/** The schema that this program knows. */
export function knownSchema(): number {
  return migrationsIn("sqlite").length;
}
