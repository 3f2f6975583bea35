import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { StartupError } from "../../shared/program/start-error.ts";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const RIGHTS_OF_OTHERS = 0o007;

/**
 * Creates a directory and its missing parents for its owner alone. Does not use Node's `recursive`,
 * which retries forever where the file system allows no new directory, as in /proc.
 */
export function makePrivateDirectory(path: string): void {
  if (isDirectory(path)) return;
  const parent = dirname(resolve(path));
  if (!isThere(path) && parent !== resolve(path)) makePrivateDirectory(parent);
  try {
    mkdirSync(path, { mode: DIRECTORY_MODE });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isDirectory(path)) throw error;
  }
}

/** Whether a path, perhaps through a link, leads to a directory. */
export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Creates an empty file for its owner alone.
 *
 * @throws an error with the code EEXIST when the name is taken, also by a link.
 */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, "wx", FILE_MODE));
}

/**
 * Creates a file of the database where it is missing, and removes other users' access to an
 * existing one. SQLite gives the WAL, the WAL's index and the journal the same owner and mode
 * (os_unix.c, findCreateFileMode). An existing file is not opened here: closing it would release
 * the locks that SQLite holds on it in this process (sqlite.org/howtocorrupt.html, section 2.2).
 *
 * @throws {StartupError} for a symbolic link: under two names, one database would have two locks.
 */
export function makeDatabaseFile(path: string): void {
  try {
    makePrivateFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new StartupError(
        `${path} is a symbolic link: remove it, or set DATA_DIR to the directory it leads to.`,
      );
    }
    closeToOthers(path);
  }
}

/** Limits a file that every user may access to its owner. Access of only a group is kept. */
export function closeToOthers(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || (stats.mode & RIGHTS_OF_OTHERS) === 0) return;
  try {
    chmodSync(path, FILE_MODE);
  } catch {
    // Another user's file, or a read-only file system: kurs doctor reports it.
  }
}
