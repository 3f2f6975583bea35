import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/start-error.ts";
import type { MigrationReport } from "../migrations.ts";
import { actAsOwnerOf } from "./acting-user.ts";
import { backUpBeforeMigration } from "./backup/before-migration.ts";
import { FILE_NAME, requireDatabase } from "./database-file.ts";
import { createSqliteEngine, type SqliteEngine } from "./engine.ts";
import { explained, resultCodeOf, SQLITE_CORRUPT, SQLITE_READONLY } from "./errors.ts";
import { createFileIdentityCheck } from "./health/file-guard.ts";
import { damageOf } from "./health/integrity.ts";
import { lockShared } from "./lock-file.ts";
import { migrate } from "./migrate.ts";
import { closeToOthers, makeDatabaseFile, makePrivateDirectory } from "./private-files.ts";
import { preallocateWal } from "./wal-size.ts";

/** SQLite checkpoints the write-ahead log at this many pages of 4 KiB: 16 MB. */
const CHECKPOINT_PAGES = 4000;

/**
 * The same for a large database, 66 MB: each checkpoint syncs both files and blocks the batches.
 * With a million accounts 4,000 pages are 60 batches, so over one in a hundred reads waited for it.
 */
const CHECKPOINT_PAGES_LARGE = 16_000;

const LARGE_DATABASE_BYTES = 256 * 1024 * 1024;

/** Another reader that delays a checkpoint makes the WAL grow; afterwards it shrinks to this. */
const WAL_BYTES_KEPT = 64 * 1024 * 1024;

/** A larger database is not read from end to end at startup: 100 MB take 0.2 s. */
const CHECKED_BYTES_MAX = 50 * 1024 * 1024;

/**
 * The most memory for SQLite's page cache; a small database uses less. Reads of a million accounts
 * were not measurably faster with 64 MiB, nor slower with 32: the kernel has the file's pages, too.
 */
const CACHE_KIB = 49_152;

export interface SqliteOptions {
  /** Reads the database from end to end before it is used, and preallocates its WAL. */
  readonly isServer?: boolean;
  /** Rejects a data directory without a database instead of creating one. */
  readonly mustExist?: boolean;
  /** Where the backup before a migration goes; by default `backups` in the data directory. */
  readonly backupDirectory?: string;
}

/**
 * Opens the embedded database of a data directory; creates and migrates it where needed. Every
 * commit is synced to disk (`synchronous=FULL`): an acknowledged write survives a power failure.
 *
 * @param busyTimeoutMs how long to wait, blocking, while another process writes to the file.
 * @throws {StartupError}
 */
export function openSqliteEngine(
  dataDirectory: string,
  busyTimeoutMs: number,
  { isServer = false, mustExist = false, ...options }: SqliteOptions = {},
): SqliteEngine {
  if (mustExist) requireDatabase(dataDirectory);
  using _owner = actAsOwnerOf(dataDirectory);
  const opening = { busyTimeoutMs, checksPages: isServer, ...options };
  const { database, file, lock } = openMigrated(dataDirectory, opening);
  if (isServer) preallocateWal(database, file, CHECKPOINT_PAGES, busyTimeoutMs);
  const engine = createSqliteEngine(database, createFileIdentityCheck(file));
  return {
    ...engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      lock[Symbol.dispose]();
    },
  };
}

/**
 * Migrates the database of a data directory to the program's schema, after a backup of it.
 *
 * @param backupDirectory by default `backups` in the data directory.
 * @throws {StartupError}
 */
export function migrateSqlite(
  dataDirectory: string,
  busyTimeoutMs: number,
  backupDirectory?: string,
): MigrationReport {
  using _owner = actAsOwnerOf(dataDirectory);
  const opening = { busyTimeoutMs, ...(backupDirectory && { backupDirectory }) };
  const { database, lock, migration } = openMigrated(dataDirectory, opening);
  database.close();
  lock[Symbol.dispose]();
  return migration;
}

function checkpointPagesOf(file: string): number {
  const isLarge = statSync(file).size >= LARGE_DATABASE_BYTES;
  return isLarge ? CHECKPOINT_PAGES_LARGE : CHECKPOINT_PAGES;
}

interface Opening {
  readonly busyTimeoutMs: number;
  readonly checksPages?: boolean;
  readonly backupDirectory?: string;
}

function openMigrated(dataDirectory: string, opening: Opening) {
  const { busyTimeoutMs, checksPages = false, backupDirectory } = opening;
  const file = join(dataDirectory, FILE_NAME);
  let database: DatabaseSync | undefined;
  let lock: Disposable | undefined;
  try {
    makePrivateDirectory(dataDirectory);
    lock = lockShared(dataDirectory, busyTimeoutMs);
    if (checksPages) rejectDamaged(file, busyTimeoutMs);
    makeDatabaseFile(file);
    for (const end of ["-wal", "-shm"]) closeToOthers(`${file}${end}`);
    database = new DatabaseSync(file, {
      timeout: busyTimeoutMs,
      enableForeignKeyConstraints: true,
    });
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${checkpointPagesOf(file)};
      PRAGMA journal_size_limit = ${WAL_BYTES_KEPT};
      PRAGMA cache_size = -${CACHE_KIB};`);
    const migration = migrate(database, file, (schema) =>
      backUpBeforeMigration(file, schema, backupDirectory),
    );
    return { database, file, lock, migration };
  } catch (error) {
    database?.close();
    lock?.[Symbol.dispose]();
    throw error instanceof StartupError ? error : explained(error, dataDirectory, file);
  }
}

/**
 * Reads a database from end to end before anything is written to it: a damaged one is rejected and
 * stays unchanged, byte for byte, since a read-only connection never checkpoints the WAL. Damage in
 * a database that is too large for this check is reported by the first statement that finds it.
 *
 * @throws what SQLite throws, or an error with its result code.
 */
function rejectDamaged(file: string, busyTimeoutMs: number): void {
  // Opening the database creates a missing file, and reports a path that is not a file.
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
    // If creating it was killed halfway, the database must be rolled back before it can be read.
    if (resultCodeOf(error) === SQLITE_READONLY) return undefined;
    throw error;
  }
}
