import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/start-error.ts";
import { resultCodeOf, SQLITE_BUSY } from "./errors.ts";
import { makeDatabaseFile } from "./private-files.ts";

// Every process takes a shared lock on kurs.lock before it opens the database; that file is never
// replaced. A lock on the database itself would not be enough: a server that waits for it has
// opened the file already. After a restore it would continue with the replaced file, but the new
// file's WAL.

/** An empty database that is used only for SQLite's locks, which end with their process. */
export const LOCK_NAME = "kurs.lock";

/**
 * Takes the shared lock of every process that has a data directory's database open, until disposed.
 *
 * @param busyTimeoutMs how long to wait, blocking, for a restore that is running.
 * @throws {StartupError} while a restore is running.
 */
export function lockShared(dataDirectory: string, busyTimeoutMs: number): Disposable {
  return lock(dataDirectory, busyTimeoutMs, "BEGIN; SELECT count(*) FROM sqlite_schema", () => {
    const advice = "wait until it has ended and start again";
    return `The database in ${dataDirectory} is being restored: ${advice}.`;
  });
}

/**
 * Takes the exclusive lock, so that no other process of ours can open a data directory's database.
 *
 * @throws {StartupError} when one has it open.
 */
export function lockExclusive(dataDirectory: string): Disposable {
  return lock(dataDirectory, 0, "BEGIN EXCLUSIVE", () => {
    const advice = "stop the server, or wait for the command, and try again";
    return `A server or a command has the database in ${dataDirectory} open: ${advice}.`;
  });
}

function lock(
  dataDirectory: string,
  timeout: number,
  statement: string,
  busyMessage: () => string,
): Disposable {
  const file = join(dataDirectory, LOCK_NAME);
  makeDatabaseFile(file);
  const database = new DatabaseSync(file, { timeout });
  try {
    database.exec(statement);
    return database;
  } catch (error) {
    database.close();
    throw resultCodeOf(error) === SQLITE_BUSY ? new StartupError(busyMessage(), error) : error;
  }
}
