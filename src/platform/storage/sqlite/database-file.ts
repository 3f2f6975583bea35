import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/program/start-error.ts";
import { explained } from "./errors.ts";

/** The database's file name in the data directory. */
export const FILE_NAME = "kurs.db";

/** @throws {StartupError} when a data directory has no database. */
export function requireDatabase(dataDirectory: string): void {
  const file = join(resolve(dataDirectory), FILE_NAME);
  try {
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return;
  } catch (error) {
    throw explained(error, dataDirectory, file);
  }
  throw new StartupError(
    `There is no database at ${file}; set DATA_DIR to the server's data directory.`,
  );
}

/**
 * Rejects a WAL or a journal without the database that it belongs to: SQLite would delete it, and
 * with it every commit since the last checkpoint. An empty file may have a journal, if the process
 * that created it was killed, but no WAL.
 *
 * @throws {StartupError}
 */
export function requireItsDatabase(file: string): void {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size;
  for (const end of ["-wal", "-journal"]) {
    // The WAL first: another process that creates the database writes it before its WAL.
    if ((sizeOf(file + end) ?? 0) === 0) continue;
    const size = sizeOf(file);
    if (size !== undefined && (size > 0 || end === "-journal")) continue;
    const state = size === 0 ? "empty" : "missing";
    throw new StartupError(
      `${file}${end} has changes of a database, but ${file} is ${state}: ` +
        `put ${FILE_NAME} back beside it, or run kurs restore, which moves the changes away.`,
    );
  }
}

/**
 * Opens a database to read it. Changes nothing: such a connection never checkpoints the WAL.
 *
 * @param busyTimeoutMs how long to wait for a lock.
 * @throws {StartupError} where SQLite would delete a WAL, as `requireItsDatabase`.
 */
export function openToRead(file: string, busyTimeoutMs = 0): DatabaseSync {
  requireItsDatabase(file);
  return new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs });
}

/** Closes a database without the checkpoint of the last connection: a reader is the last one. */
export function closeUnchanged(database: DatabaseSync): void {
  using readers = new DisposableStack();
  try {
    readers.use(openToRead(database.location() ?? "")).exec("SELECT count(*) FROM sqlite_schema");
  } catch {
    // Where the file is damaged, SQLite has taken the reader's lock all the same.
  }
  if (database.isOpen) database.close();
}
