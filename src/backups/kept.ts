import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HOUR_MS } from "../shared/clock.ts";
import { StartupError } from "../shared/start-error.ts";
import { renameDurably, syncFile } from "../storage/sqlite/backup/durable-files.ts";
import { takenAtOf } from "../storage/sqlite/backup/names.ts";
import { isDirectory } from "../storage/sqlite/private-files.ts";

// A directory of backups: those that Kurs named after their time, and which of them was the last to
// be verified.

/** Records the last verified backup in its directory. */
const RECORD_NAME = "verified.json";

const FILE_MODE = 0o600;

/** What an interrupted backup or verification leaves behind. */
const leftover = /^(?:kurs-.*\.db\.\d+\.part(?:-journal)?|\.verifying-\d+)$/;

/** Longer than any backup or verification takes. */
const LEFTOVER_AGE_MS = HOUR_MS;

/** The backup that was verified last. */
export interface VerifiedBackup {
  /** Its name in the directory. */
  readonly file: string;
  /** When it was taken, and when it was verified: RFC 3339, UTC. */
  readonly takenAt: string;
  readonly verifiedAt: string;
}

interface VerifiedRecord {
  readonly file: string;
  readonly taken_at: string;
  readonly verified_at: string;
}

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
 * from before a migration, and files with other names, stay.
 *
 * @param taken the backup that was just taken: it stays in any case.
 * @returns how many backups were removed.
 */
export function removeOldBackups(
  directory: string,
  { kept, taken, nowMs }: { readonly kept: number; readonly taken: string; readonly nowMs: number },
): number {
  const others = backupsIn(directory, nowMs).filter((name) => name !== basename(taken));
  const old = others.slice(kept - 1);
  for (const name of old) rmSync(join(directory, name), { force: true });
  removeLeftovers(directory, nowMs);
  return old.length;
}

/** Removes what a killed backup or verification has left in a directory. */
export function removeLeftovers(directory: string, nowMs: number): void {
  for (const name of readdirSync(directory).filter((one) => leftover.test(one))) {
    const path = join(directory, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: nowMs };
    if (nowMs - mtimeMs > LEFTOVER_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** Records that a backup was verified, on disk on return, unless it is not named after its time. */
export function recordVerified(file: string, verifiedAt: string): void {
  const [directory, name] = [dirname(file), basename(file)];
  const takenAt = takenAtOf(name);
  if (takenAt === undefined) return;
  const record = join(directory, RECORD_NAME);
  const part = `${record}.${process.pid}.part`;
  const content: VerifiedRecord = { file: name, taken_at: takenAt, verified_at: verifiedAt };
  try {
    writeFileSync(part, `${JSON.stringify(content)}\n`, { mode: FILE_MODE, flag: "wx" });
    syncFile(part);
    renameDurably(part, record, true);
  } finally {
    rmSync(part, { force: true });
  }
}

/**
 * @returns the backup of a directory that was verified last; undefined if none was.
 * @throws an error when the record cannot be read or is not one.
 */
export async function readVerified(directory: string): Promise<VerifiedBackup | undefined> {
  const path = join(directory, RECORD_NAME);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
  const {
    file,
    taken_at: takenAt,
    verified_at: verifiedAt,
  } = JSON.parse(text) as Partial<VerifiedRecord>;
  if (file === undefined || takenAt === undefined || verifiedAt === undefined) {
    throw new Error(`${path} is not the record of a verified backup`);
  }
  // Without its file, the record proves nothing.
  return existsSync(join(directory, file)) ? { file, takenAt, verifiedAt } : undefined;
}
