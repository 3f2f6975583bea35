import { DatabaseSync } from "node:sqlite";
import { resultCodeOf } from "../errors.ts";

/** The id that a database and its backups share. @returns undefined in older schemas. */
export function databaseIdOf(database: DatabaseSync): string | undefined {
  const isThere = "SELECT 1 FROM sqlite_schema WHERE name = 'database_id'";
  if (database.prepare(isThere).get() === undefined) return undefined;
  const id = database.prepare("SELECT id FROM database_id").get()?.id;
  return typeof id === "string" ? id : undefined;
}

/** The id in a backup. @returns undefined also for a file that SQLite cannot read. */
export function databaseIdIn(file: string): string | undefined {
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    return databaseIdOf(database);
  } catch (error) {
    if (resultCodeOf(error) !== undefined) return undefined;
    throw error;
  }
}
