import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/program/start-error.ts";
import {
  knownSchema,
  type MigrationReport,
  migrationsIn,
  requireKnownSchema,
} from "../migrations.ts";
import { rejectBackup } from "./backup-note.ts";
import { closeUnchanged, FILE_NAME, requireDatabase, requireItsDatabase } from "./database-file.ts";
import { createSqliteEngine, type SqliteEngine } from "./engine.ts";
import { explained } from "./errors.ts";
import { createFileIdentityCheck } from "./health/file-guard.ts";
import { rejectDamaged, sizeOf } from "./health/integrity.ts";
import { DatabaseInUse, lockExclusive, lockShared } from "./lock-file.ts";
import { migrate, readVersion } from "./migrate.ts";
import { requireOwner } from "./owner.ts";
import { closeToOthers, makeDatabaseFile, makePrivateDirectory } from "./private-files.ts";

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

/**
 * A larger database is not read from end to end before it is used: 100 MB take 0.2 s. Damage in it
 * is reported by the first statement that finds it.
 */
const CHECKED_BYTES_MAX = 50 * 1024 * 1024;

/**
 * The most memory for SQLite's page cache; a small database uses less. Reads of a million accounts
 * were not measurably faster with 64 MiB, nor slower with 32: the kernel has the file's pages, too.
 */
const CACHE_KIB = 49_152;

/**
 * How long a migration waits for processes that have the database open for a moment. As long as it
 * waits, others do not open it.
 */
const EXCLUSIVE_WAIT_MS = 3000;

/**
 * Backs up a database that is about to be migrated.
 *
 * @param directory by default `backups` in the data directory.
 * @returns a function that removes the backup again.
 * @throws {StartupError} when it cannot be written.
 */
export type BackUp = (file: string, schema: number, directory?: string) => () => void;

export interface SqliteOptions {
  /** Reads the database from end to end before it is used, even if it has no WAL to transfer. */
  readonly isServer?: boolean;
  /** Rejects a data directory without a database instead of creating one. */
  readonly mustExist?: boolean;
  /** Called before a migration, which without it only a new database gets. */
  readonly backUp?: BackUp;
  readonly backupDirectory?: string;
}

/**
 * Opens the embedded database of a data directory; creates and migrates it where needed. Every
 * commit is synced to disk (`synchronous=FULL`): an acknowledged write survives a power failure.
 *
 * @param busyTimeoutMs how long to wait, blocking, while another process writes to the file.
 * @throws {DatabaseLocked} while another process restores or migrates it.
 * @throws {StartupError}
 */
export function openSqliteEngine(
  dataDirectory: string,
  busyTimeoutMs: number,
  options: SqliteOptions = {},
): SqliteEngine {
  if (options.mustExist) requireDatabase(dataDirectory);
  const { database, lock } = openMigrated({ dataDirectory, busyTimeoutMs, ...options });
  const file = join(dataDirectory, FILE_NAME);
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
 * @throws {DatabaseLocked} while another process restores or migrates it.
 * @throws {StartupError}
 */
export function migrateSqlite(
  dataDirectory: string,
  busyTimeoutMs: number,
  options: Pick<SqliteOptions, "backUp" | "backupDirectory"> = {},
): MigrationReport {
  const { migration, ...opened } = openMigrated({ dataDirectory, busyTimeoutMs, ...options });
  close(opened);
  return migration;
}

function chooseCheckpointPages(file: string): number {
  const isLarge = statSync(file).size >= LARGE_DATABASE_BYTES;
  return isLarge ? CHECKPOINT_PAGES_LARGE : CHECKPOINT_PAGES;
}

interface Opening extends SqliteOptions {
  readonly dataDirectory: string;
  readonly busyTimeoutMs: number;
}

/** A database and the lock under which it is open. */
interface Opened {
  readonly database: DatabaseSync;
  readonly lock: Disposable;
}

function close({ database, lock }: Opened): void {
  database.close();
  lock[Symbol.dispose]();
}

/**
 * Opens a database under the shared lock. Migrates it before under the exclusive one: a process of
 * another version would apply its rules to tables that it does not know.
 */
function openMigrated(opening: Opening): Opened & { readonly migration: MigrationReport } {
  const { dataDirectory } = opening;
  const file = join(dataDirectory, FILE_NAME);
  const known = knownSchema("sqlite");
  // A program whose files cannot be read makes no database.
  if (sizeOf(file) === 0) for (const { readSql } of migrationsIn("sqlite")) readSql();
  try {
    requireOwner(dataDirectory);
    makePrivateDirectory(dataDirectory);
    requireOwner(file);
    let migration: MigrationReport | undefined;
    for (let tries = 0; ; tries += 1) {
      const opened = openUnder(lockShared(dataDirectory), file, opening);
      const schema = readVersion(opened.database);
      if (schema === known) {
        return { ...opened, migration: migration ?? { from: known, to: known } };
      }
      close(opened);
      if (tries > 0) throw usedByOthers(file, schema);
      migration = migrateAlone(file, opening);
    }
  } catch (error) {
    throw explained(error, dataDirectory, file);
  }
}

function usedByOthers(file: string, schema: number): StartupError {
  return new StartupError(
    `The database ${file} has schema ${schema}, this program needs ${knownSchema("sqlite")}, ` +
      "and a server or a command of another version has it open: stop that server, or wait for " +
      "the command, and start again.",
  );
}

/** @returns undefined where other processes have the database open, or migrate it. */
function migrateAlone(file: string, opening: Opening): MigrationReport | undefined {
  let opened: Opened;
  try {
    opened = openUnder(lockExclusive(opening.dataDirectory, EXCLUSIVE_WAIT_MS), file, opening);
  } catch (error) {
    if (error instanceof DatabaseInUse) return undefined;
    throw error;
  }
  try {
    return migrate(opened.database, (schema) => {
      if (opening.backUp === undefined) throw new Error(`nothing backs up ${file}`);
      return opening.backUp(file, schema, opening.backupDirectory);
    });
  } finally {
    close(opened);
  }
}

/** @param lock released again if the database cannot be opened. */
function openUnder(lock: Disposable, file: string, { busyTimeoutMs, isServer }: Opening): Opened {
  let database: DatabaseSync | undefined;
  try {
    requireItsDatabase(file);
    // Closing it would write a WAL into the database.
    const isWritten = isServer || sizeOf(`${file}-wal`) > 0;
    const size = sizeOf(file);
    if (isWritten && size > 0 && size <= CHECKED_BYTES_MAX) rejectDamaged(file, busyTimeoutMs);
    makeDatabaseFile(file);
    for (const end of ["-wal", "-shm"]) closeToOthers(`${file}${end}`);
    database = new DatabaseSync(file, {
      timeout: busyTimeoutMs,
      enableForeignKeyConstraints: true,
    });
    requireKnownSchema("sqlite", `The database ${file}`, readVersion(database));
    rejectBackup(database);
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${chooseCheckpointPages(file)};
      PRAGMA journal_size_limit = ${WAL_BYTES_KEPT};
      PRAGMA cache_size = -${CACHE_KIB};`);
    return { database, lock };
  } catch (error) {
    if (database !== undefined) closeUnchanged(database);
    lock[Symbol.dispose]();
    throw error;
  }
}
