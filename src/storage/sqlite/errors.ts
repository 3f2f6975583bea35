import { StartupError } from "../../shared/program/start-error.ts";

/** The low bytes of SQLite's result codes (sqlite.org/rescode.html). */
export const SQLITE_BUSY = 5;
export const SQLITE_READONLY = 8;
export const SQLITE_IOERR = 10;
export const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
export const SQLITE_CONSTRAINT = 19;
export const SQLITE_NOTADB = 26;

const adviceOf = new Map<number | string, string>([
  [
    SQLITE_BUSY,
    "another program holds its lock; end it, or use a disk with locks if this has none",
  ],
  [SQLITE_READONLY, "it is not writable; run this as its owner"],
  [SQLITE_IOERR, "the disk reports an error; check the disk, its space and its support for locks"],
  [SQLITE_CORRUPT, "it is damaged; restore a backup, or move it away to start with an empty one"],
  [SQLITE_FULL, "the disk is full; make room"],
  [
    SQLITE_CANTOPEN,
    "it cannot be opened; check that it and its directory belong to the server's user, and that " +
      "its disk has room",
  ],
  [SQLITE_NOTADB, "it is not a Kurs database; move it away, or set DATA_DIR to another directory"],
  ["ENOENT", "no directory can be created there; set DATA_DIR to another one"],
  [
    "EACCES",
    "permission is denied; run this as the owner of that directory, with the right to write there",
  ],
  ["ENOTDIR", "part of the path is a file; set DATA_DIR to a directory"],
  ["EEXIST", "a file of that name is in the way; set DATA_DIR to a directory"],
  ["ENOSPC", "the disk is full; make room"],
  ["EROFS", "the file system is read-only; set DATA_DIR to a writable directory"],
]);

/** @returns the low byte of SQLite's result code; undefined for an error that is not SQLite's. */
export function resultCodeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** Explains why the database of a data directory cannot be used, and what to do about it. */
export function explained(error: unknown, dataDirectory: string, file: string): StartupError {
  if (error instanceof StartupError) return error;
  const { code, message } = error as { code?: string; message?: string };
  const resultCode = resultCodeOf(error);
  const advice = adviceOf.get(resultCode ?? code ?? "");
  const what = resultCode === undefined ? `DATA_DIR ${dataDirectory}` : `database ${file}`;
  return new StartupError(`Cannot use the ${what}: ${advice ?? message}.`, error);
}

/** Whether an error means that the file is damaged or not a database. */
export function isCorruption(error: unknown): boolean {
  const code = resultCodeOf(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}
