import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../../shared/start-error.ts";
import { actAsOwnerOf } from "../acting-user.ts";
import { explained, resultCodeOf, SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_NOTADB } from "../errors.ts";
import { lockExclusive } from "../lock-file.ts";
import { FILE_NAME } from "../open.ts";
import { closeToOthers, makePrivateDirectory } from "../private-files.ts";
import { linkOrCopy, syncDirectory, syncFile } from "./durable-files.ts";
import type { RestoreReport } from "./report.ts";
import { compareAndRevoke, makeStaging, openBackup } from "./staging.ts";

export interface RestoreOptions {
  readonly now: string;
  /** Lets keys live again that were revoked after the backup. */
  readonly reviveKeys: boolean;
}

/**
 * Puts a backup in the place of the embedded database. At every instant the name has the old
 * database or the new one, whole: what is new is made beside it and takes its name in one step,
 * after the old log was carried over and is gone.
 *
 * @throws {StartupError} and then the old database is where it was.
 */
export function restoreSqlite(
  dataDirectory: string,
  file: string,
  options: RestoreOptions,
): RestoreReport {
  const database = join(dataDirectory, FILE_NAME);
  const source = statSync(file, { throwIfNoEntry: false });
  if (source === undefined) throw new StartupError(`There is no file ${file}.`);
  if (!source.isFile()) throw new StartupError(`${file} is no file: name a backup.`);
  const there = statSync(database, { throwIfNoEntry: false });
  if (there?.ino === source.ino && there.dev === source.dev) {
    throw new StartupError(`${file} is the database itself: name a backup of it.`);
  }
  const staging = `${database}.restoring`;
  try {
    // Read as the user who runs the command: a backup may be root's alone.
    using backup = openBackup(file);
    using _owner = actAsOwnerOf(dataDirectory);
    makePrivateDirectory(dataDirectory);
    using _alone = lockExclusive(dataDirectory);
    removeLeftovers(dataDirectory, staging);
    try {
      const staged = makeStaging(backup, staging, there);
      return { ...staged, database, ...replace(database, staging, options) };
    } finally {
      removeStaging(staging);
    }
  } catch (error) {
    throw error instanceof StartupError ? error : explained(error, dataDirectory, database);
  }
}

/** A restore that was cut off leaves its work, and perhaps a second name of the database. */
function removeLeftovers(dataDirectory: string, staging: string): void {
  removeStaging(staging);
  const database = statSync(join(dataDirectory, FILE_NAME), { throwIfNoEntry: false });
  for (const name of readdirSync(dataDirectory)) {
    if (!name.startsWith(`${FILE_NAME}.replaced-`)) continue;
    const path = join(dataDirectory, name);
    const { ino, dev } = statSync(path);
    if (ino === database?.ino && dev === database.dev) rmSync(path);
  }
}

function removeStaging(staging: string): void {
  for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(`${staging}${end}`, { force: true });
}

function replace(database: string, staging: string, { now, reviveKeys }: RestoreOptions) {
  const directory = join(database, "..");
  const kept = `${database}.replaced-${now.replaceAll(":", "-")}`;
  const isThere = existsSync(database);
  using old = isThere ? checkpointAndLock(database) : undefined;
  const forgotten = old && compareAndRevoke(old, staging, { reviveKeys });
  syncFile(staging);
  if (isThere) {
    closeToOthers(database);
    linkOrCopy(database, kept);
  }
  try {
    // The log's index is made anew from the log. A log or a journal that is there yet is of a
    // database that is gone or too damaged to take it in: the new one must not find it.
    rmSync(`${database}-shm`, { force: true });
    // Held alone, a database needs no journal; a killed restore leaves one that is spent.
    if (old !== undefined) rmSync(`${database}-journal`, { force: true });
    for (const end of old === undefined ? ["-wal", "-journal"] : []) {
      if (existsSync(database + end)) renameSync(database + end, kept + end);
    }
    syncDirectory(directory);
    renameSync(staging, database);
  } catch (error) {
    if (old !== undefined) rmSync(kept, { force: true });
    throw error;
  }
  syncDirectory(directory);
  return { kept: isThere ? kept : undefined, forgotten };
}

/**
 * Carries a database's log over to it and keeps every other program from it, ours or not. A log can
 * only be given up when nobody else has the database open
 * (sqlite.org/wal.html#activating_and_configuring_wal_mode).
 *
 * @returns undefined for a file that is too damaged for that.
 * @throws {StartupError} when another program has it open.
 */
function checkpointAndLock(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL");
    const mode = database.prepare("PRAGMA journal_mode = DELETE").get()?.journal_mode;
    if (mode !== "delete") throw new Error(`its log cannot be given up (${mode})`);
    database.exec("BEGIN EXCLUSIVE; COMMIT");
    return database;
  } catch (error) {
    database.close();
    const code = resultCodeOf(error);
    if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB) return undefined;
    if (code !== SQLITE_BUSY) throw error;
    throw new StartupError(`Another program has ${file} open: end it and try again.`, error);
  }
}
