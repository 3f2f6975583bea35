import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HOUR_MS } from "../../platform/shared/clock.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import type { OnWait } from "../../platform/storage/sqlite/lock-file.ts";
import { isDirectory } from "../../platform/storage/sqlite/private-files.ts";
import { lockBackupDirectory } from "./backup.ts";
import { renameDurably } from "./durable-files.ts";
import { readDatabaseIdIn } from "./metadata.ts";
import { takenAtOf } from "./names.ts";
import { forgetChanged, readVerified } from "./verified.ts";

// A directory of backups: those that Kurs named after their time.

/** The name of the last backup that failed its verification: one copy is enough to look into. */
const NOT_VERIFIED_NAME = "kurs-not-verified.db";

/** What an interrupted backup or verification leaves behind. */
const leftover = /^(?:kurs-.*\.db\.\d+\.part(?:-journal)?|\.verifying-\d+)$/;

/** Longer than any backup or verification takes. */
const LEFTOVER_AGE_MS = HOUR_MS;

/**
 * @param place a backup, or a directory whose newest one is meant.
 * @throws {StartupError} when there is none.
 */
export function backupIn(place: string, nowMs: number): string {
  if (existsSync(place) && !isDirectory(place)) return place;
  const [newest] = existsSync(place) ? backupsIn(place, nowMs) : [];
  if (newest !== undefined) return join(place, newest);
  throw new StartupError(`There is no backup at ${place}: make one with kurs backup.`);
}

/**
 * Locks a backup's directory while it is verified, until disposed.
 *
 * @returns undefined for a file that is not named after its time: nothing is recorded of it.
 * @throws {StartupError}
 */
export async function lockToVerify(file: string, onWait: OnWait): Promise<Disposable | undefined> {
  if (takenAtOf(basename(file)) === undefined) return undefined;
  return await lockBackupDirectory(dirname(file), onWait);
}

/**
 * The names of a directory's backups, the newest first. A file of another program, or one whose
 * name states a time to come, is none.
 */
function backupsIn(directory: string, nowMs: number): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .filter((name) => Date.parse(takenAtOf(name) ?? "") <= nowMs)
    .filter((name) => isDatabase(join(directory, name)))
    .sort()
    .reverse();
}

/** The id of the database whose backups a directory has: that of the newest with one. */
export function databaseIdOfBackups(directory: string, nowMs: number): string | undefined {
  for (const name of backupsIn(directory, nowMs)) {
    const id = readDatabaseIdIn(join(directory, name));
    if (id !== undefined) return id;
  }
  return undefined;
}

/** The first bytes of every SQLite database (sqlite.org/fileformat2.html, section 1.3). */
const MAGIC = "SQLite format 3\0";

function isDatabase(path: string): boolean {
  try {
    const file = openSync(path, "r");
    try {
      const start = Buffer.alloc(MAGIC.length);
      return readSync(file, start) === MAGIC.length && start.toString("latin1") === MAGIC;
    } finally {
      closeSync(file);
    }
  } catch {
    // Unreadable, or gone meanwhile: nothing that this user could restore.
    return false;
  }
}

/**
 * Removes all but the newest backups of a directory, and what interrupted ones have left. Backups
 * from before a migration, files with other names and the backup that was verified last stay.
 *
 * @param taken the backup that was just taken: it stays in any case.
 * @returns how many backups were removed.
 * @throws {StartupError} when nobody can tell which one was verified.
 */
export async function removeOldBackups(
  directory: string,
  { kept, taken, nowMs }: { readonly kept: number; readonly taken: string; readonly nowMs: number },
): Promise<number> {
  const verified = await readVerified(directory);
  const others = backupsIn(directory, nowMs).filter((name) => name !== basename(taken));
  const old = others.slice(kept - 1).filter((name) => name !== verified?.file);
  for (const name of old) rmSync(join(directory, name), { force: true });
  removeLeftovers(directory, nowMs);
  return old.length;
}

/**
 * Takes the name from a backup that could not be verified: under it, the backup would push out a
 * good one. The one that was verified last is trusted only if it is unchanged. A file that is not
 * named after its time keeps its name.
 *
 * @returns its path.
 */
export async function setAside(file: string): Promise<string> {
  const [directory, name] = [dirname(file), basename(file)];
  if (takenAtOf(name) === undefined) return file;
  await forgetChanged(directory);
  const path = join(directory, NOT_VERIFIED_NAME);
  renameDurably(file, path, true);
  return path;
}

/** Removes what a killed backup or verification has left in a directory. */
export function removeLeftovers(directory: string, nowMs: number): void {
  for (const name of readdirSync(directory).filter((one) => leftover.test(one))) {
    const path = join(directory, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: nowMs };
    if (nowMs - mtimeMs > LEFTOVER_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
}
