import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Origin } from "../../platform/shared/origin.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import { FILE_NAME } from "../../platform/storage/sqlite/database-file.ts";
import {
  explained,
  isCorruption,
  resultCodeOf,
  SQLITE_BUSY,
} from "../../platform/storage/sqlite/errors.ts";
import { rejectDamaged, sizeOf } from "../../platform/storage/sqlite/health/integrity.ts";
import { lockExclusive } from "../../platform/storage/sqlite/lock-file.ts";
import { requireOwner } from "../../platform/storage/sqlite/owner.ts";
import {
  closeToOthers,
  makePrivateDirectory,
} from "../../platform/storage/sqlite/private-files.ts";
import { linkOrCopy, syncDirectory, syncFile } from "./durable-files.ts";
import type { RestoreReport } from "./report.ts";
import {
  compareAndRevoke,
  makeStaging,
  openBackup,
  recordRestore,
  type Staged,
} from "./staging.ts";

export interface RestoreOptions {
  readonly now: string;
  /** Makes keys valid again that were revoked after the backup. */
  readonly reviveKeys: boolean;
  /** Who restores, for the audit log; unset for a trial. */
  readonly origin?: Origin;
}

/**
 * Replaces the embedded database with a backup. At every instant the name leads to either the old
 * database or the new one, complete: the new one is written to another file and renamed in one
 * step, after the old WAL was checkpointed and removed.
 *
 * @throws {StartupError} the old database then stays in its place.
 */
export function restoreSqlite(
  dataDirectory: string,
  file: string,
  options: RestoreOptions,
): RestoreReport {
  const database = join(dataDirectory, FILE_NAME);
  const source = statSync(file, { throwIfNoEntry: false });
  if (source === undefined) throw new StartupError(`There is no file ${file}.`);
  if (!source.isFile()) throw new StartupError(`${file} is not a file: name a backup.`);
  const replaced = statSync(database, { throwIfNoEntry: false });
  if (replaced?.ino === source.ino && replaced.dev === source.dev) {
    throw new StartupError(`${file} is the database itself: name a backup of it.`);
  }
  const staging = `${database}.restoring`;
  try {
    requireOwner(dataDirectory);
    requireOwner(database);
    using backup = openBackup(file);
    makePrivateDirectory(dataDirectory);
    using _alone = lockExclusive(dataDirectory);
    removeLeftovers(dataDirectory, staging);
    try {
      const { asOf, ...staged } = makeStaging(backup, staging);
      return { ...staged, database, ...replace(database, staging, { ...options, file, asOf }) };
    } finally {
      removeStaging(staging);
    }
  } catch (error) {
    throw explained(error, dataDirectory, database);
  }
}

/** An interrupted restore leaves its staging file, and perhaps a second name of the database. */
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

function replace(
  database: string,
  staging: string,
  options: RestoreOptions & Pick<Staged, "asOf"> & { readonly file: string },
) {
  const { now, origin, asOf } = options;
  const directory = join(database, "..");
  const kept = `${database}.replaced-${now.replaceAll(":", "-")}`;
  const isThere = existsSync(database);
  const { old, isWhole } = isThere ? openReplaced(database) : notReadable;
  using _open = old;
  const forgotten = old && compareAndRevoke(old, staging, options);
  if (origin !== undefined) {
    recordRestore(staging, origin, { file: basename(options.file), asOf });
  }
  syncFile(staging);
  if (isThere) {
    closeToOthers(database);
    linkOrCopy(database, kept);
  }
  try {
    if (!isWhole) old?.close();
    // SQLite rebuilds the WAL's index from the WAL. A WAL or a journal that still exists belongs to
    // a database that is missing or damaged: the new one must not find it.
    rmSync(`${database}-shm`, { force: true });
    // Under the exclusive lock the database needs no journal; a killed restore leaves a spent one.
    if (isWhole) rmSync(`${database}-journal`, { force: true });
    for (const end of isWhole ? [] : ["-wal", "-journal"]) {
      if (sizeOf(database + end) > 0) renameSync(database + end, kept + end);
      else rmSync(database + end, { force: true });
    }
    syncDirectory(directory);
    renameSync(staging, database);
  } catch (error) {
    if (isWhole) rmSync(kept, { force: true });
    throw error;
  }
  syncDirectory(directory);
  return { kept: isThere ? kept : undefined, forgotten };
}

/**
 * Opens the database that is replaced. A damaged one is kept as it is: its connection may only
 * write to the new one.
 *
 * @throws {StartupError} when another program has it open.
 */
function openReplaced(file: string) {
  try {
    rejectDamaged(file, 0);
    return { old: checkpointAndLock(file), isWhole: true };
  } catch (error) {
    if (error instanceof StartupError) return notReadable;
    if (isCorruption(error)) {
      return { old: new DatabaseSync(new URL("?mode=ro", pathToFileURL(file))), isWhole: false };
    }
    if (resultCodeOf(error) !== SQLITE_BUSY) throw error;
    throw new StartupError(`Another program has ${file} open: end it and try again.`, error);
  }
}

const notReadable = { old: undefined, isWhole: false };

/**
 * Checkpoints a database's WAL and locks out every other program, ours or not. A database can only
 * leave WAL mode when no other connection has it open
 * (sqlite.org/wal.html#activating_and_configuring_wal_mode).
 */
function checkpointAndLock(file: string): DatabaseSync {
  using opening = new DisposableStack();
  const database = opening.use(new DatabaseSync(file, { timeout: 0 }));
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL");
  const mode = database.prepare("PRAGMA journal_mode = DELETE").get()?.journal_mode;
  if (mode !== "delete") throw new Error(`its WAL cannot be removed (${mode})`);
  database.exec("BEGIN EXCLUSIVE; COMMIT");
  opening.move();
  return database;
}
