import { DatabaseSync } from "node:sqlite";
import type { BackupMetadata } from "./report.ts";

// A backup records when it was taken and by which program, in a table that no other Kurs database
// has.

const CREATE_TABLE = `
  DROP TABLE IF EXISTS backup_note;
  CREATE TABLE backup_note (taken_at TEXT NOT NULL, program TEXT NOT NULL) STRICT`;

export function writeMetadata(file: string, { takenAt, program }: BackupMetadata): void {
  using database = new DatabaseSync(file);
  database.exec(CREATE_TABLE);
  database.prepare("INSERT INTO backup_note VALUES (?, ?)").run(takenAt, program);
}

/** Reads a backup's metadata and drops their table. @returns undefined for any other copy. */
export function takeMetadata(database: DatabaseSync): BackupMetadata | undefined {
  const isThere = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'backup_note'";
  if (database.prepare(isThere).get() === undefined) return undefined;
  const row = database.prepare("SELECT taken_at, program FROM backup_note").get();
  database.exec("DROP TABLE backup_note");
  return row && { takenAt: String(row.taken_at), program: String(row.program) };
}
