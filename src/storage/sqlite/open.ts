import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/start-error.ts";
import type { MigrationReport } from "../migrations.ts";
import { actAsOwnerOf } from "./acting-user.ts";
import { createSqliteEngine, type SqliteEngine } from "./engine.ts";
import { explained, resultCodeOf, SQLITE_CORRUPT, SQLITE_READONLY } from "./errors.ts";
import { createFileIdentityCheck } from "./health/file-guard.ts";
import { damageOf } from "./health/integrity.ts";
import { lockShared } from "./lock-file.ts";
import { migrate } from "./migrate.ts";
import { closeToOthers, makeDatabaseFile, makePrivateDirectory } from "./private-files.ts";
import { preallocateWal } from "./wal-size.ts";

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

export interface SqliteOptions {
  /** A server's database is read from end to end before it is used, and its log has its size. */
  readonly isServer?: boolean;
  /** Refuses a data directory without a database instead of making one. */
  readonly mustExist?: boolean;
}

/**
 * Opens the embedded database of a data directory, making and migrating it where needed. Every
 * commit is synced to disk (`synchronous=FULL`): what was answered survives a loss of power.
 *
 * @param busyTimeoutMs how long to wait, blocking, while another process writes to the file.
 * @throws {StartupError}
 */
export function openSqliteEngine(
  dataDirectory: string,
  busyTimeoutMs: number,
  { isServer = false, mustExist = false }: SqliteOptions = {},
): SqliteEngine {
  if (mustExist) requireDatabase(dataDirectory);
  using _owner = actAsOwnerOf(dataDirectory);
  const { database, file, presence } = openMigrated(dataDirectory, busyTimeoutMs, isServer);
  if (isServer) preallocateWal(database, file, CHECKPOINT_PAGES, busyTimeoutMs);
  const engine = createSqliteEngine(database, createFileIdentityCheck(file));
  return {
    ...engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      presence[Symbol.dispose]();
    },
  };
}

/** @throws {StartupError} when a data directory has no database. */
export function requireDatabase(dataDirectory: string): void {
  const file = join(resolve(dataDirectory), FILE_NAME);
  if (existsSync(file)) return;
  throw new StartupError(
    `There is no database at ${file}; set DATA_DIR to the server's data directory.`,
  );
}

/** Brings the database of a data directory up to the program's schema. @throws {StartupError} */
export function migrateSqlite(dataDirectory: string, busyTimeoutMs: number): MigrationReport {
  using _owner = actAsOwnerOf(dataDirectory);
  const { database, presence, migration } = openMigrated(dataDirectory, busyTimeoutMs);
  database.close();
  presence[Symbol.dispose]();
  return migration;
}

function openMigrated(dataDirectory: string, busyTimeoutMs: number, checksWhole = false) {
  const file = join(dataDirectory, FILE_NAME);
  let database: DatabaseSync | undefined;
  let presence: Disposable | undefined;
  try {
    makePrivateDirectory(dataDirectory);
    presence = lockShared(dataDirectory, busyTimeoutMs);
    if (checksWhole) refuseDamage(file, busyTimeoutMs);
    makeDatabaseFile(file);
    for (const end of ["-wal", "-shm"]) closeToOthers(`${file}${end}`);
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
    return { database, file, presence, migration: migrate(database, file) };
  } catch (error) {
    database?.close();
    presence?.[Symbol.dispose]();
    throw error instanceof StartupError ? error : explained(error, dataDirectory, file);
  }
}

/**
 * Reads a database from end to end before anything is written into it: one that is damaged is
 * refused and stays as it is, byte for byte. A connection that only reads never carries the log
 * over. Damage in a database too large for that is told by the first use that comes upon it.
 *
 * @throws what SQLite throws, or an error with its result code.
 */
function refuseDamage(file: string, busyTimeoutMs: number): void {
  // What is not there yet is made, and what is no file is told, by opening it.
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > CHECKED_BYTES_MAX) return;
  const damage = damageIn(file, busyTimeoutMs);
  if (damage !== undefined) throw Object.assign(new Error(damage), { errcode: SQLITE_CORRUPT });
}

function damageIn(file: string, busyTimeoutMs: number): string | undefined {
  using database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs });
  try {
    return damageOf(database, "quick_check")[0];
  } catch (error) {
    // A database that a kill has left half made is to be rolled back before it can be read.
    if (resultCodeOf(error) === SQLITE_READONLY) return undefined;
    throw error;
  }
}
