import { accessSync, constants, readdirSync, type Stats, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { FILE_NAME } from "../../platform/storage/sqlite/database-file.ts";
import type { DirectoryFacts } from "./rules/directory.ts";

const READABLE_BY_OTHERS = 0o004;
const READABLE_BY_GROUP_OR_OTHERS = 0o044;
const WRITABLE_BY_OTHERS = 0o002;
const OPEN_TO_OTHERS = 0o001;
const WRITABLE_BY_OWNER = 0o200;

/** Inspects a data directory and its files. @returns why there is none, where there is none. */
export function inspectDirectory(path: string): DirectoryFacts | "missing" | "no directory" {
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
    // Btrfs and others make inodes as they need them, and state 0.
    freeInodes: inodes === 0 ? Number.POSITIVE_INFINITY : ffree,
    databaseBytes: files.get(FILE_NAME)?.size ?? 0,
    logBytes: files.get(`${FILE_NAME}-wal`)?.size ?? 0,
    readableByOthers: names.filter(
      (name) => isOpen && ((files.get(name)?.mode ?? 0) & READABLE_BY_OTHERS) !== 0,
    ),
    notWritable: [FILE_NAME, `${FILE_NAME}-wal`].filter(
      (name) => files.has(name) && !mayWrite(join(path, name), directory),
    ),
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
