import { accessSync, constants, lstatSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as after } from "node:timers/promises";
import { StartupError } from "../../shared/program/start-error.ts";
import { resultCodeOf, SQLITE_BUSY } from "./errors.ts";
import { makeDatabaseFile } from "./private-files.ts";

// Every process takes a shared lock on kurs.lock before it opens the database; that file is never
// replaced. A lock on the database itself would not be enough: a server that waits for it has
// opened the file already. After a restore it would continue with the replaced file, but the new
// file's WAL.

/** An empty database that is used only for SQLite's locks, which end with their process. */
export const LOCK_NAME = "kurs.lock";

/** The same for a directory of backups, which several databases' commands may name. */
const BACKUPS_LOCK_NAME = "kurs-backups.lock";

const EXCLUSIVE = "BEGIN EXCLUSIVE";

/** How long to wait between two attempts to get a lock. */
const RETRY_MS = 200;

/** Called once, with a line for the operator, when a start has to wait for another process. */
export type OnWait = (message: string) => void;

/** Another process holds the exclusive lock, which it releases when its work is done. */
class Locked extends StartupError {
  /** What to tell the operator while waiting. */
  readonly waiting: string;

  constructor(waiting: string, message = waiting) {
    super(message);
    this.waiting = waiting;
  }
}

/**
 * Takes the shared lock of every process that has a data directory's database open, until disposed.
 *
 * @param busyTimeoutMs how long to wait, blocking, for a restore or a migration that is running: by
 *   default as long as nobody need be told of it.
 * @throws {Locked} while one is running.
 */
export function lockShared(dataDirectory: string, busyTimeoutMs = 1000): Disposable {
  const busy = () =>
    new Locked(
      "waiting until another process has restored, migrated or copied the database",
      `The database in ${dataDirectory} is being restored, migrated or copied: wait until that ` +
        "has ended and start again.",
    );
  const file = join(dataDirectory, LOCK_NAME);
  return lock(file, busyTimeoutMs, "BEGIN; SELECT count(*) FROM sqlite_schema", busy);
}

/**
 * Takes the exclusive lock, so that no other process of ours can open a data directory's database.
 *
 * @param busyTimeoutMs how long to wait, blocking, for processes that have it open. Others that
 *   would open it wait meanwhile.
 * @throws {DatabaseInUse} when one has it open.
 */
export function lockExclusive(dataDirectory: string, busyTimeoutMs = 0): Disposable {
  return lock(join(dataDirectory, LOCK_NAME), busyTimeoutMs, EXCLUSIVE, () => {
    const advice = "stop the server, or wait for the command, and try again";
    const what = `A server or a command has the database in ${dataDirectory} open`;
    return new DatabaseInUse(`${what}: ${advice}.`);
  });
}

/** @throws {StartupError} where something else has the name of a lock. */
export function requireLockFile(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return;
  throw new StartupError(`${file} is not an empty file, as Kurs makes it to lock: move it away.`);
}

/** Another process has the database open, and may have for as long as it runs. */
export class DatabaseInUse extends StartupError {}

/**
 * Takes the lock of a directory of backups, under which one process at a time takes, verifies and
 * removes them. Waits for another one: a backup by cron and a scheduled one may be due at once.
 */
export async function lockBackups(directory: string, onWait: OnWait): Promise<Disposable> {
  const what = `another process has taken or verified a backup in ${directory}`;
  const file = join(directory, BACKUPS_LOCK_NAME);
  const busy = () => new Locked(`waiting until ${what}`);
  return await untilUnlocked(() => lock(file, 0, EXCLUSIVE, busy), onWait);
}

/** Repeats work that needs a lock while another process has it, which may take minutes. */
export async function untilUnlocked<Result>(work: () => Result, onWait: OnWait): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Locked)) throw error;
      if (tries === 0) onWait(error.waiting);
      await after(RETRY_MS);
    }
  }
}

function lock(
  file: string,
  timeout: number,
  statement: string,
  busy: () => StartupError,
): Disposable {
  makeDatabaseFile(file);
  requireLockFile(file);
  // On a file that it may only read, SQLite takes a shared lock instead.
  if (statement === EXCLUSIVE) accessSync(file, constants.W_OK);
  const database = new DatabaseSync(file, { timeout });
  try {
    database.exec(statement);
    return database;
  } catch (error) {
    database.close();
    if (resultCodeOf(error) !== SQLITE_BUSY) throw error;
    requireLocks(dirname(file));
    throw busy();
  }
}

/**
 * Without locks in a file system (ENOLCK), SQLite reports every file as busy, even one that is new.
 *
 * @throws {StartupError}
 */
function requireLocks(directory: string): void {
  const file = join(directory, `.kurs-lock-trial-${process.pid}`);
  try {
    using database = new DatabaseSync(file);
    rmSync(file);
    database.exec("SELECT count(*) FROM sqlite_schema");
  } catch (error) {
    if (resultCodeOf(error) !== SQLITE_BUSY) return;
    const advice = "use a local disk, or mount it with locks (NFS needs its lock service)";
    throw new StartupError(`The file system of ${directory} cannot lock files: ${advice}.`, error);
  }
}
