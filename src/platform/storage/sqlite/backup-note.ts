import type { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/program/start-error.ts";

// A backup has a table backup_note, which no other Kurs database has.

/** Whether a database is a backup, and not a store. */
export function isBackup(database: DatabaseSync): boolean {
  const isThere = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'backup_note'";
  return database.prepare(isThere).get() !== undefined;
}

/** Rejects a backup as a store: what has ended since is valid in it. @throws {StartupError} */
export function rejectBackup(database: DatabaseSync): void {
  if (!isBackup(database)) return;
  const file = database.location();
  throw new StartupError(
    `${file} is a backup, in which ended sessions and revoked keys are still valid: restore it ` +
      `into another directory (DATA_DIR=DIRECTORY kurs restore ${file}), and use that one.`,
  );
}
