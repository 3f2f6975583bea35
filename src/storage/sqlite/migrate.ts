import type { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/start-error.ts";
import { type MigrationReport, migrationsIn } from "../migrations.ts";

/**
 * Migrates a database to the program's schema: runs the numbered files that it does not have yet,
 * all in one transaction, so that of several processes that start at once one migrates and others
 * wait.
 *
 * @param backUp backs up an existing database before it is migrated, while no other process writes,
 *   and returns how to remove the backup.
 * @throws {StartupError} when the database was written by a newer program.
 */
export function migrate(
  database: DatabaseSync,
  file: string,
  backUp: (schema: number) => () => void,
): MigrationReport {
  const migrations = migrationsIn("sqlite");
  const known = migrations.length;
  if (versionOf(database) === known) return { from: known, to: known };

  database.exec("BEGIN IMMEDIATE");
  const version = versionOf(database);
  if (version > known) {
    database.exec("ROLLBACK");
    throw new StartupError(
      `The database ${file} was written by a newer Kurs (its schema is ${version}, this program ` +
        `knows ${known}): start that newer program, or set DATA_DIR to another directory.`,
    );
  }
  const removeBackup = version < known && schemaOf(database) > 0 ? backUp(version) : undefined;
  try {
    for (const sql of migrations.slice(version)) database.exec(sql);
    database.exec(`PRAGMA user_version = ${known}`);
    database.exec("COMMIT");
  } catch (error) {
    // The database is as it was, and each further start would leave one more.
    removeBackup?.();
    throw error;
  }
  return { from: version, to: known };
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** The number of a database's last migration; 0 for a database that is not ours. */
export function schemaOf(database: DatabaseSync): number {
  const isOurs = "SELECT 1 FROM sqlite_schema WHERE name = 'period_usage'";
  if (database.prepare(isOurs).get() === undefined) return 0;
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** The schema that this program knows. */
export function knownSchema(): number {
  return migrationsIn("sqlite").length;
}
