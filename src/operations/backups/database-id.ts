import { DatabaseSync } from "node:sqlite";
import { textOf } from "../../platform/storage/columns.ts";
import { resultCodeOf } from "../../platform/storage/sqlite/errors.ts";

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
