import { existsSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../../shared/start-error.ts";
import { actAsOwnerOf } from "../acting-user.ts";
import {
  resultCodeOf,
  SQLITE_CORRUPT,
  SQLITE_FULL,
  SQLITE_IOERR,
  SQLITE_NOTADB,
} from "../errors.ts";
import { damageOf } from "../health/integrity.ts";
import { LOCK_NAME, lockShared } from "../lock-file.ts";
import { knownSchema, schemaOf } from "../migrate.ts";
import { FILE_NAME, requireDatabase } from "../open.ts";
import { makePrivateFile } from "../private-files.ts";
import { publish, syncFile } from "./durable-files.ts";
import { writeNote } from "./metadata.ts";
import {
  type BackupMetadata,
  type BackupReport,
  type DatabaseTotals,
  readTotals,
} from "./report.ts";

/** A command waits so long for a restore that is under way. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Writes a copy of the embedded database as it stands at one instant, beside servers that go on.
 * VACUUM INTO reads in one transaction: of 293 MB under reads it took 1.5 s. The online backup in
 * steps begins anew after each write of another process, and under reads had not ended after 40 s.
 * Nor does VACUUM copy free pages, on which removed sessions and mails still stand.
 *
 * @param target a file, or a directory in which the backup is named after its time.
 * @throws {StartupError} and then there is no such file, or the one that was there.
 */
export function backupSqlite(
  dataDirectory: string,
  target: string,
  { note, mayReplace }: { readonly note: BackupMetadata; readonly mayReplace: boolean },
): BackupReport {
  const live = join(dataDirectory, FILE_NAME);
  requireDatabase(dataDirectory);
  const file = fileOf(target, note.takenAt);
  refuseBadTarget(file, dataDirectory, mayReplace);
  const part = `${file}.${process.pid}.part`;
  try {
    using _owner = actAsOwnerOf(dirname(file));
    // What is made with these rights stays so: the copy holds digests of all credentials.
    makePrivateFile(part);
    copyLive(dataDirectory, live, part);
    writeNote(part, note);
    const told = check(part, live);
    syncFile(part);
    publish(part, file, mayReplace);
    return { ...note, ...told, file, sizeBytes: statSync(file).size };
  } catch (error) {
    throw error instanceof StartupError ? error : explained(error, file);
  } finally {
    for (const end of ["", "-journal"]) rmSync(`${part}${end}`, { force: true });
  }
}

function fileOf(target: string, takenAt: string): string {
  const isDirectory = statSync(target, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const name = `kurs-${takenAt.replaceAll(":", "-")}.db`;
  return isDirectory ? join(target, name) : target;
}

function refuseBadTarget(file: string, dataDirectory: string, mayReplace: boolean): void {
  const directory = dirname(resolve(file));
  if (!existsSync(directory)) {
    throw new StartupError(`There is no directory ${directory}: make it first.`);
  }
  const name = basename(file);
  const isBesideDatabase = realpathSync(directory) === realpathSync(dataDirectory);
  const isTaken = name === LOCK_NAME || name === FILE_NAME || name.startsWith(`${FILE_NAME}-`);
  if (isBesideDatabase && isTaken) {
    throw new StartupError(`${file} is a part of the database itself: name another file.`);
  }
  const there = statSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) {
    throw new StartupError(`${file} is no file: name a file or a directory.`);
  }
  if (there !== undefined && !mayReplace) {
    throw new StartupError(`${file} is there already: name another file, or add --force.`);
  }
}

function copyLive(dataDirectory: string, live: string, part: string): void {
  try {
    using opened = openLive(dataDirectory, live);
    const { database, schema } = opened;
    const known = knownSchema();
    if (schema === 0) throw new StartupError(`${live} is not a Kurs database: set DATA_DIR.`);
    if (schema > known) {
      throw new StartupError(
        `The database ${live} was written by a newer Kurs (its schema is ${schema}, this ` +
          `program knows ${known}): let that newer program back it up.`,
      );
    }
    database.prepare("VACUUM INTO ?").run(part);
  } catch (error) {
    const code = resultCodeOf(error);
    if (code !== SQLITE_CORRUPT && code !== SQLITE_NOTADB) throw error;
    throw new StartupError(
      `The database ${live} is damaged and cannot be copied whole: see kurs doctor, and restore ` +
        "an older backup.",
      error,
    );
  }
}

/** Opens the database and, by a first read, its log, as their owner; the copy may be another's. */
function openLive(dataDirectory: string, live: string) {
  using _owner = actAsOwnerOf(dataDirectory);
  using opening = new DisposableStack();
  opening.use(lockShared(dataDirectory, BUSY_TIMEOUT_MS));
  const options = { readOnly: true, timeout: BUSY_TIMEOUT_MS };
  const database = opening.use(new DatabaseSync(live, options));
  const schema = schemaOf(database);
  const opened = opening.move();
  return { database, schema, [Symbol.dispose]: () => opened.dispose() };
}

function check(part: string, live: string): DatabaseTotals & { readonly schema: number } {
  using database = new DatabaseSync(part);
  const [damage] = damageOf(database, "integrity_check");
  if (damage !== undefined) {
    throw new StartupError(`The copy of ${live} is not whole (${damage}): see kurs doctor.`);
  }
  return { ...readTotals(database), schema: schemaOf(database) };
}

const adviceOf = new Map<number | string, string>([
  [SQLITE_FULL, "the disk is full; make room"],
  [SQLITE_IOERR, "the disk reports an error; check it and its space"],
  ["ENOSPC", "the disk is full; make room"],
  ["EDQUOT", "this user's quota of the disk is used up; make room"],
  ["EACCES", "permission is denied; give this user the right to write there"],
  ["EROFS", "the file system is read-only; name a file elsewhere"],
  ["EEXIST", "another program has made it meanwhile; name another file"],
  ["ENAMETOOLONG", "its name is too long; name another file"],
]);

function explained(error: unknown, file: string): StartupError {
  const { code, message } = error as { code?: string; message?: string };
  const advice = adviceOf.get(resultCodeOf(error) ?? code ?? "") ?? message;
  return new StartupError(`Cannot write the backup ${file}: ${advice}.`, error);
}
