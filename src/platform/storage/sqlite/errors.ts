import { StartupError } from "../../shared/program/start-error.ts";
import { reasonOf } from "../../shared/program/system-error.ts";

/** The low bytes of SQLite's result codes (sqlite.org/rescode.html). */
export const SQLITE_BUSY = 5;
export const SQLITE_READONLY = 8;
export const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;
export const SQLITE_CONSTRAINT = 19;
export const SQLITE_NOTADB = 26;

const reasonsOfDirectory = {
  ENOENT: "no directory can be created there; set DATA_DIR to another one",
  EACCES:
    "permission is denied; run this as the owner of that directory, with the right to write there",
  ENOTDIR: "part of the path is a file; set DATA_DIR to a directory",
  EEXIST: "a file of that name is in the way; set DATA_DIR to a directory",
  EROFS: "the file system is read-only; name a writable directory, such as a copy of this one",
};

/** @returns the low byte of SQLite's result code; undefined for an error that is not SQLite's. */
export function resultCodeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** Explains why the database of a data directory cannot be used, and what to do about it. */
export function explained(error: unknown, dataDirectory: string, file: string): StartupError {
  if (error instanceof StartupError) return error;
  const what = resultCodeOf(error) === undefined ? `DATA_DIR ${dataDirectory}` : `database ${file}`;
  return new StartupError(`Cannot use the ${what}: ${reasonOf(error, reasonsOfDirectory)}.`, error);
}

/** Whether an error means that the file is damaged or not a database. */
export function isCorruption(error: unknown): boolean {
  const code = resultCodeOf(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}
