import { DatabaseSync } from "node:sqlite";
import { isBackup } from "../../platform/storage/sqlite/backup-note.ts";
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
