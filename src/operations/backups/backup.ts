import { existsSync, lstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import { reasonOf } from "../../platform/shared/program/system-error.ts";
import { requireKnownSchema } from "../../platform/storage/migrations.ts";
import { FILE_NAME, openToRead } from "../../platform/storage/sqlite/database-file.ts";
import { explained, isCorruption } from "../../platform/storage/sqlite/errors.ts";
import { findDamage } from "../../platform/storage/sqlite/health/integrity.ts";
import {
  LOCK_NAME,
  lockBackups,
  lockShared,
  type OnWait,
} from "../../platform/storage/sqlite/lock-file.ts";
import { readSchema } from "../../platform/storage/sqlite/migrate.ts";
import { requireOwner } from "../../platform/storage/sqlite/owner.ts";
import {
  isDirectory,
  makePrivateDirectory,
  makePrivateFile,
} from "../../platform/storage/sqlite/private-files.ts";
import { renameDurably, syncFile } from "./durable-files.ts";
import { readDatabaseId, writeMetadata } from "./metadata.ts";
import { backupName } from "./names.ts";
import {
  type BackupMetadata,
  type BackupReport,
  type DatabaseTotals,
  readTotals,
} from "./report.ts";

/** How long a command waits for a restore that is running. */
const BUSY_TIMEOUT_MS = 5000;

export interface BackupOptions {
  readonly note: BackupMetadata;
  /** Whether to replace a file of the backup's name. */
  readonly mayReplace: boolean;
  /** The backup's name in a directory; by default named after its time. */
  readonly name?: string;
  /** Whether this process has the exclusive lock, under which nobody else opens the database. */
  readonly isAlone?: boolean;
  /** The id of the database whose backups the directory has: no other's is added to them. */
  readonly databaseId?: string | undefined;
}

/**
 * Copies an embedded database as of one instant while servers keep running. VACUUM INTO reads in
 * one transaction: for 293 MB under reads it took 1.5 s. SQLite's online backup in steps restarts
 * after each write of another process, and under reads had not finished after 40 s. VACUUM also
 * omits free pages, which still contain deleted sessions and mails.
 *
 * @param live the database's file.
 * @param target a file, or a directory, in which it gets the name of the options.
 * @throws {StartupError} the file then does not exist, or is unchanged.
 */
export function backupSqlite(live: string, target: string, options: BackupOptions): BackupReport {
  const { note, mayReplace, name = backupName(note.takenAt) } = options;
  const dataDirectory = dirname(live);
  const file = resolveTarget(target, name);
  requireUsableTarget(file, dataDirectory, mayReplace);
  const part = `${file}.${process.pid}.part`;
  try {
    requireOwner(dirname(file));
    requireOwner(live);
    // VACUUM INTO keeps the file's mode: the copy contains digests of all credentials.
    makePrivateFile(part);
    copyLive(live, part, options);
    writeMetadata(part, note);
    const checked = check(part, live);
    syncFile(part);
    renameDurably(part, file, mayReplace);
    return { ...note, ...checked, file, sizeBytes: statSync(file).size };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = reasonOf(error, { ENOENT: "its directory takes no files; name another" });
    throw new StartupError(`Cannot write the backup ${file}: ${reason}.`, error);
  } finally {
    for (const end of ["", "-journal"]) rmSync(`${part}${end}`, { force: true });
  }
}

/** Creates a directory of backups where it is missing. @throws {StartupError} */
export function makeBackupDirectory(path: string): void {
  requireOwner(path);
  try {
    makePrivateDirectory(path);
  } catch (error) {
    throw notWritable(path, error);
  }
}

/** Takes a directory's lock, as `lockBackups`; creates it where missing. @throws {StartupError} */
export async function lockBackupDirectory(path: string, onWait: OnWait): Promise<Disposable> {
  makeBackupDirectory(path);
  try {
    return await lockBackups(path, onWait);
  } catch (error) {
    throw error instanceof StartupError ? error : notWritable(path, error);
  }
}

function notWritable(path: string, error: unknown): StartupError {
  const taken = "it is not a directory; name another";
  const readOnly = "the file system is read-only; name a writable directory, or copy it to one";
  const none = "no directory can be created there; name another";
  const own = { EEXIST: taken, ENOTDIR: taken, EROFS: readOnly, ENOENT: none };
  const reason = reasonOf(error, own);
  return new StartupError(`Cannot write backups to ${path}: ${reason}.`, error);
}

function resolveTarget(target: string, name: string): string {
  return isDirectory(target) ? join(target, name) : target;
}

function requireUsableTarget(file: string, dataDirectory: string, mayReplace: boolean): void {
  const directory = /[/\\]$/.test(file) ? file : dirname(resolve(file));
  if (!existsSync(directory)) {
    throw new StartupError(`There is no directory ${directory}: create it first.`);
  }
  const name = basename(file);
  const isBesideDatabase = realpathSync(directory) === realpathSync(dataDirectory);
  const isTaken = name === LOCK_NAME || name === FILE_NAME || name.startsWith(`${FILE_NAME}-`);
  if (isBesideDatabase && isTaken) {
    throw new StartupError(`${file} is a part of the database itself: name another file.`);
  }
  const ifAny = { throwIfNoEntry: false } as const;
  // A link to a file that does not exist is replaced only with --force, as any other file.
  const existing = statSync(file, ifAny) ?? lstatSync(file, ifAny);
  if (existing !== undefined && !existing.isFile() && !existing.isSymbolicLink()) {
    throw new StartupError(`${file} is not a file: name a file or a directory.`);
  }
  if (existing !== undefined && !mayReplace) {
    throw new StartupError(`${file} already exists: name another file, or add --force.`);
  }
}

function copyLive(live: string, part: string, { databaseId, isAlone }: BackupOptions): void {
  let isOpen = false;
  try {
    using _lock = isAlone ? undefined : lockShared(dirname(live), BUSY_TIMEOUT_MS);
    using database = openToRead(live, BUSY_TIMEOUT_MS);
    const schema = readSchema(database);
    if (schema === 0) throw new StartupError(`${live} is not a Kurs database: set DATA_DIR.`);
    const advice = "let that newer program back it up";
    requireKnownSchema("sqlite", `The database ${live}`, schema, advice);
    if (databaseId !== undefined && databaseId !== readDatabaseId(database)) {
      throw new StartupError(
        `${dirname(part)} has the backups of another database, which later ones would remove: ` +
          "name another directory (BACKUP_DIR), or move them elsewhere.",
      );
    }
    isOpen = true;
    database.prepare("VACUUM INTO ?").run(part);
  } catch (error) {
    if (!isCorruption(error)) throw isOpen ? error : explained(error, dirname(live), live);
    throw new StartupError(
      `The database ${live} is damaged and cannot be copied: run kurs doctor, and restore an ` +
        "older backup.",
      error,
    );
  }
}

function check(part: string, live: string): DatabaseTotals & { readonly schema: number } {
  using database = new DatabaseSync(part);
  const [damage] = findDamage(database, "integrity_check");
  if (damage !== undefined) {
    throw new StartupError(`The copy of ${live} is damaged (${damage}): run kurs doctor.`);
  }
  return { ...readTotals(database), schema: readSchema(database) };
}
