import { DatabaseSync } from "node:sqlite";
import { textOf } from "../../platform/storage/columns.ts";
import { isBackup } from "../../platform/storage/sqlite/backup-note.ts";
import { resultCodeOf } from "../../platform/storage/sqlite/errors.ts";
import { type BackupMetadata, type BackupNote, readTotals } from "./report.ts";

// A backup records when it was taken, by which program and with which totals.

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

/** The id that a database and its backups share. */
export function readDatabaseId(database: DatabaseSync): string {
  return textOf(database.prepare("SELECT id FROM database_id").get() ?? {}, "id");
}

/** The id in a backup. @returns undefined for a file that is not a database of ours. */
export function readDatabaseIdIn(file: string): string | undefined {
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    return readDatabaseId(database);
  } catch (error) {
    if (resultCodeOf(error) !== undefined) return undefined;
    throw error;
  }
}
