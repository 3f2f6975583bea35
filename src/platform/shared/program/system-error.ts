import { StoreUnavailable } from "../store.ts";
import { ConfigError, StartupError } from "./start-error.ts";

const NO_SPACE = "the disk has no space or no inodes left (df, df -i); make room";
const DENIED = "permission is denied; run this as a user who has it";

/** By Node's code, PostgreSQL's SQLSTATE or the low byte of SQLite's result code. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EISDIR: "it is a directory",
  ENOTDIR: "part of the path is a file; name another one",
  EEXIST: "a file of that name is in the way; name another one",
  ENAMETOOLONG: "its name is too long; name another file",
  ELOOP: "its links lead in a circle; name another file",
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: "the file system is read-only; name a file elsewhere",
  EBUSY: "something is mounted there, or another program uses it; name another file",
  ENOSPC: NO_SPACE,
  EDQUOT: "this user's disk quota is used up; make room",
  EFBIG: "the limit on the size of a file is reached; raise it (ulimit -f)",
  EMFILE: "too many files are open; raise the limit (ulimit -n)",
  EIO: "the disk reports an error; check the disk",
  "53100": NO_SPACE,
  // sqlite.org/rescode.html: BUSY, READONLY, IOERR, CORRUPT, FULL, CANTOPEN and NOTADB
  5: "another program holds its lock; end it, or use a disk with locks if this has none",
  8: "it is not writable; run this as its owner",
  10: "the disk reports an error; check the disk, its space and its support for locks",
  11: "it is damaged; restore a backup, or move it away to start with an empty one",
  13: NO_SPACE,
  14:
    "it cannot be opened; check that it and its directory belong to the server's user, and that " +
    "its disk is writable and has space and inodes left (df, df -i)",
  26: "it is not a Kurs database; move it away, or set DATA_DIR to another directory",
};

/** An error of Node, of pg or, with `errcode`, of SQLite. */
type SystemError = NodeJS.ErrnoException & { readonly errcode?: number };

/**
 * @param own what codes mean where the caller uses the file, if that is more exact.
 * @returns what an error of the system or of a database means and what to do; its message for an
 *   unknown code.
 */
export function reasonOf(error: unknown, own: Readonly<Record<string, string>> = {}): string {
  const { code = "", errcode, message = String(error) } = (error ?? {}) as SystemError;
  return own[code] ?? reasons[errcode === undefined ? code : errcode & 0xff] ?? message;
}

/** @returns one line for an error that an operator can fix; undefined for a bug. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof StartupError) return error.message;
  if (error instanceof StoreUnavailable) {
    return `The store cannot be used at present: ${reasonOf(error.cause)}.`;
  }
  const { syscall, errcode = 0, path } = (error ?? {}) as SystemError;
  if (syscall === undefined && reasons[errcode & 0xff] === undefined) return undefined;
  const what = path === undefined ? (syscall ?? "use a database") : `use ${path}`;
  return `Cannot ${what}: ${reasonOf(error)}.`;
}
