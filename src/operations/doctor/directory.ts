import { accessSync, constants, readdirSync, type Stats, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Finding, findingsOf } from "../../platform/shared/finding.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { FILE_NAME } from "../../platform/storage/sqlite/database-file.ts";

/** The state of a data directory. */
type DirectoryFacts = Exclude<ReturnType<typeof inspectDirectory>, string>;

const MIB = 1024 * 1024;

/** Less is soon used up: a WAL grows to at least 16 MiB. */
const FREE_LEAST_BYTES = 100 * MIB;
const FREE_AMPLE_BYTES = 1024 * MIB;

/** A start makes three files, a backup with its verification nine, and each mail may be one. */
const FREE_LEAST_INODES = 50;

const READABLE_BY_OTHERS = 0o004;
const READABLE_BY_GROUP_OR_OTHERS = 0o044;
const WRITABLE_BY_OTHERS = 0o002;
const OPEN_TO_OTHERS = 0o001;
const WRITABLE_BY_OWNER = 0o200;

/** Inspects a data directory and its files. @returns why there is none, where there is none. */
export function inspectDirectory(path: string) {
  const directory = statSync(path, { throwIfNoEntry: false });
  if (directory === undefined) return "missing";
  if (!directory.isDirectory()) return "no directory";
  const { bavail, bsize, files: inodes, ffree } = statfsSync(path);
  const isOpen = (directory.mode & OPEN_TO_OTHERS) !== 0;
  const files = new Map<string, Stats>();
  for (const name of readdirSync(path)) {
    const file = statSync(join(path, name), { throwIfNoEntry: false });
    if (file?.isFile() && name.startsWith(FILE_NAME)) files.set(name, file);
  }
  const names = [...files.keys()];
  return {
    path,
    isWritable: mayWrite(path, directory),
    isWritableByOthers: (directory.mode & WRITABLE_BY_OTHERS) !== 0,
    freeBytes: bavail * bsize,
    // Of files and directories; Btrfs and others make inodes as they need them, and state 0.
    freeInodes: inodes === 0 ? Number.POSITIVE_INFINITY : ffree,
    databaseBytes: files.get(FILE_NAME)?.size ?? 0,
    logBytes: files.get(`${FILE_NAME}-wal`)?.size ?? 0,
    // By every user of this machine.
    readableByOthers: names.filter(
      (name) => isOpen && ((files.get(name)?.mode ?? 0) & READABLE_BY_OTHERS) !== 0,
    ),
    notWritable: [FILE_NAME, `${FILE_NAME}-wal`].filter(
      (name) => files.has(name) && !mayWrite(join(path, name), directory),
    ),
    // Opening the database by it would damage it.
    hasSecondName: (files.get(FILE_NAME)?.nlink ?? 1) > 1,
  };
}

/** Whether other users of this machine can read a file. */
export function isReadableByOthers(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & READABLE_BY_GROUP_OR_OTHERS) !== 0;
}

/** For root, whether the directory's owner may write: the server runs as that user. */
function mayWrite(path: string, { uid: owner }: Stats): boolean {
  try {
    if (process.getuid?.() === 0 && owner !== 0) {
      const { uid, mode } = statSync(path);
      return uid === owner && (mode & WRITABLE_BY_OWNER) !== 0;
    }
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export function checkDirectory(path: string, facts: DirectoryFacts | "no directory"): Finding[] {
  if (facts === "no directory") {
    const { problem } = findingsOf("files");
    return [problem(`${path} is not a directory: set DATA_DIR to one.`)];
  }
  return [...checkSpace(facts), ...checkRights(facts)];
}

function checkSpace(facts: DirectoryFacts): Finding[] {
  const { path, freeBytes, freeInodes, databaseBytes, logBytes } = facts;
  const { ok, warning, problem } = findingsOf("disk");
  const free = `${mebibytes(freeBytes)} free at ${path}`;
  const used = `database ${mebibytes(databaseBytes)}, WAL ${mebibytes(logBytes)}`;
  const found: Finding[] = [];
  if (freeBytes < FREE_LEAST_BYTES) {
    found.push(problem(`${free}: on a full disk reads get 503 and backups fail. Make room.`));
  } else if (freeBytes < Math.max(FREE_AMPLE_BYTES, databaseBytes)) {
    found.push(warning(`${free} (${used}): make room soon; a restore needs the database's size.`));
  } else found.push(ok(`${free}; ${used}`));
  if (freeInodes < FREE_LEAST_INODES) {
    const left = `${counted(freeInodes, "inode")} free at ${path}`;
    found.push(problem(`${left}: without one, no file can be made. Remove files (df -i).`));
  }
  return found;
}

function checkRights(facts: DirectoryFacts): Finding[] {
  const { ok, warning, problem } = findingsOf("files");
  const { path, isWritable, notWritable, readableByOthers, hasSecondName } = facts;
  const found: Finding[] = [];
  for (const place of isWritable ? notWritable : [path, ...notWritable]) {
    found.push(problem(`the server's user may not write to ${place}: chown it to that user.`));
  }
  if (facts.isWritableByOthers) {
    found.push(warning(`every user of this machine may write to ${path}: chmod 700 ${path}`));
  }
  if (readableByOthers.length > 0) {
    found.push(
      warning(
        `every user of this machine can read ${readableByOthers.join(", ")}: chmod 700 ${path}`,
      ),
    );
  }
  if (hasSecondName) {
    found.push(
      warning(
        "the database has a second name, left by an interrupted restore: remove the newest " +
          `${path}/kurs.db.replaced-… that ls -i shows with the number of kurs.db.`,
      ),
    );
  }
  return found.length > 0 ? found : [ok("writable by this user, not readable by others")];
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`;
}
