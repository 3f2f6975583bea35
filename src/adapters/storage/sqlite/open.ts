import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "../../../application/ports.ts";
import { StartError } from "../../../application/ports.ts";
import type { ObserveBatch } from "../../observers.ts";
import type { MigrationReport } from "../migrations.ts";
import { createStore } from "../store.ts";
import { createSqliteEngine } from "./engine.ts";
import { createFileGuard } from "./file-guard.ts";
import { migrate } from "./migrate.ts";

/**
 * The write-ahead log is carried over to the database when it has so many pages of 4 KiB: 16 MB.
 * With a million accounts, a read took the store 87 µs at SQLite's own 1,000 and with its own
 * cache, and takes 74 now; with a hundred there is no difference.
 */
const CHECKPOINT_PAGES = 4000;

/** A reader beside us that keeps the log from being carried over makes it grow: then it shrinks. */
const LOG_BYTES_KEPT = 64 * 1024 * 1024;

/** A larger database is not read from end to end at a start: 100 MB take 0.2 s. */
const CHECKED_BYTES_MAX = 50 * 1024 * 1024;

/** How much of the database may be kept in memory; a small one does not take it. */
const CACHE_KIB = 65_536;

/** The database's name in the data directory. */
export const FILE_NAME = "kurs.db";

/**
 * Opens the embedded database of a data directory, making and migrating it where needed. Every
 * commit is synced to disk (`synchronous=FULL`): what was answered survives a loss of power.
 *
 * @param busyTimeoutMs how long to wait, blocking, while another process writes to the file.
 * @throws {StartError}
 */
export function openSqliteStore(
  dataDirectory: string,
  busyTimeoutMs: number,
  observeBatch?: ObserveBatch,
): Store {
  const { database, file } = openMigrated(dataDirectory, busyTimeoutMs);
  return createStore(createSqliteEngine(database, createFileGuard(file)), observeBatch);
}

/** Brings the database of a data directory up to the program's schema. @throws {StartError} */
export function migrateSqlite(dataDirectory: string, busyTimeoutMs: number): MigrationReport {
  const { database, migration } = openMigrated(dataDirectory, busyTimeoutMs);
  database.close();
  return migration;
}

function openMigrated(dataDirectory: string, busyTimeoutMs: number) {
  const file = join(dataDirectory, FILE_NAME);
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    database = new DatabaseSync(file, {
      timeout: busyTimeoutMs,
      enableForeignKeyConstraints: true,
    });
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA journal_size_limit = ${LOG_BYTES_KEPT};
      PRAGMA cache_size = -${CACHE_KIB};`);
    return { database, file, migration: migrate(database, file) };
  } catch (error) {
    database?.close();
    throw error instanceof StartError ? error : explained(error, dataDirectory, file);
  }
}

/**
 * Reads a database from end to end before anything is written into it: one that is damaged is
 * refused and stays as it is, byte for byte. A connection that only reads never carries the log
 * over. Damage in a database too large for that is told by the first use that comes upon it.
 *
 * @throws {StartError}
 */
export function checkSqlite(dataDirectory: string, busyTimeoutMs: number): void {
  const file = join(dataDirectory, FILE_NAME);
  let problem: unknown;
  try {
    // What is not there yet is made, and what is no file is told, by opening it.
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > CHECKED_BYTES_MAX) return;
    using database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs });
    problem = database.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  } catch (error) {
    throw explained(error, dataDirectory, file);
  }
  if (problem === "ok") return;
  throw explained(Object.assign(new Error(String(problem)), { errcode: 11 }), dataDirectory, file);
}

const adviceOf = new Map<number | string, string>([
  [5, "another program holds its lock; end that program or wait for it"],
  [8, "it is not writable; give this user the right to write to it"],
  [10, "the disk reports an error; check the disk and its space"],
  [11, "it is damaged; restore a backup, or move it away to begin anew"],
  [13, "the disk is full; make room"],
  [14, "it cannot be opened; check that its directory is writable and its disk has room"],
  [26, "it is not a Kurs database; move it away, or set DATA_DIR to another directory"],
  ["EACCES", "permission is denied; give this user the right to write there"],
  ["ENOTDIR", "part of the path is a file; set DATA_DIR to a directory"],
  ["EEXIST", "a file of that name is in the way; set DATA_DIR to a directory"],
  ["ENOSPC", "the disk is full; make room"],
  ["EROFS", "the file system is read-only; set DATA_DIR to a writable directory"],
]);

function explained(error: unknown, dataDirectory: string, file: string): StartError {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string };
  const advice = adviceOf.get(errcode === undefined ? (code ?? "") : errcode & 0xff);
  const what = errcode === undefined ? `DATA_DIR ${dataDirectory}` : `database ${file}`;
  return new StartError(`Cannot use the ${what}: ${advice ?? message}.`, error);
}
