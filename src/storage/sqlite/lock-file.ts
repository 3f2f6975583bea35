import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/start-error.ts";
import { resultCodeOf, SQLITE_BUSY } from "./errors.ts";
import { makeDatabaseFile } from "./private-files.ts";

// Who opens the database says so first, on a file beside it that is never replaced. A lock on the
// database itself would not do: a server that waits for it has opened the file already, and would
// go on with a file that has lost its name to a restored one, but with that one's log.

/** An empty database: nothing of it counts but SQLite's locks, which end with their process. */
export const LOCK_NAME = "kurs.lock";

/**
 * Says that a program has the database of a data directory open, until it is disposed of.
 *
 * @param busyTimeoutMs how long to wait, blocking, for a restore that is under way.
 * @throws {StartupError} while a restore is under way.
 */
export function lockShared(dataDirectory: string, busyTimeoutMs: number): Disposable {
  return lock(dataDirectory, busyTimeoutMs, "BEGIN; SELECT count(*) FROM sqlite_schema", () => {
    const advice = "wait for its end and start again";
    return `The database in ${dataDirectory} is being restored: ${advice}.`;
  });
}

/**
 * Keeps every other program of ours from opening the database of a data directory.
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
  refusal: () => string,
): Disposable {
  const file = join(dataDirectory, LOCK_NAME);
  makeDatabaseFile(file);
  const database = new DatabaseSync(file, { timeout });
  try {
    database.exec(statement);
    return database;
  } catch (error) {
    database.close();
    throw resultCodeOf(error) === SQLITE_BUSY ? new StartupError(refusal(), error) : error;
  }
}
