import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../../shared/program/start-error.ts";
import { type BackupMetadata, type BackupNote, readTotals } from "./report.ts";

// A backup records when it was taken, by which program and with which totals, in a table that no
// other Kurs database has.

const CREATE_TABLE = `
  DROP TABLE IF EXISTS backup_note;
  CREATE TABLE backup_note (
    taken_at TEXT NOT NULL,
    program TEXT NOT NULL,
    accounts INTEGER NOT NULL,
    active_keys INTEGER NOT NULL,
    units INTEGER NOT NULL
  ) STRICT`;

export function writeMetadata(file: string, { takenAt, program }: BackupMetadata): void {
  using database = new DatabaseSync(file);
  const { accounts, activeKeys, units } = readTotals(database);
  database.exec(CREATE_TABLE);
  database
    .prepare("INSERT INTO backup_note VALUES (?, ?, ?, ?, ?)")
    .run(takenAt, program, accounts, activeKeys, units);
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

function isBackup(database: DatabaseSync): boolean {
  const isThere = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'backup_note'";
  return database.prepare(isThere).get() !== undefined;
}

/** Reads a backup's metadata and drops their table. @returns undefined for any other copy. */
export function takeMetadata(database: DatabaseSync): BackupNote | undefined {
  if (!isBackup(database)) return undefined;
  const row = database.prepare("SELECT * FROM backup_note").get();
  database.exec("DROP TABLE backup_note");
  if (row === undefined) return undefined;
  return {
    takenAt: String(row.taken_at),
    program: String(row.program),
    totals: {
      accounts: Number(row.accounts),
      activeKeys: Number(row.active_keys),
      units: Number(row.units),
    },
  };
}
