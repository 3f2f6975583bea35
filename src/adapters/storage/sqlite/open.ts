import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "../../../application/ports.ts";
import { StartError } from "../../../application/ports.ts";
import type { MigrationReport } from "../migrations.ts";
import { createStore } from "../store.ts";
import { createSqliteEngine } from "./engine.ts";
import { explained } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { holdOpen } from "./openers.ts";

/**
 * The write-ahead log is carried over to the database when it has so many pages of 4 KiB: 16 MB.
 * With a million accounts, a read took the store 87 µs at SQLite's own 1,000 and with its own
 * cache, and takes 74 now; with a hundred there is no difference.
 */
const CHECKPOINT_PAGES = 4000;

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
export function openSqliteStore(dataDirectory: string, busyTimeoutMs: number): Store {
  const { database, presence } = openMigrated(dataDirectory, busyTimeoutMs);
  const store = createStore(createSqliteEngine(database));
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      presence[Symbol.dispose]();
    },
  };
}

/** Brings the database of a data directory up to the program's schema. @throws {StartError} */
export function migrateSqlite(dataDirectory: string, busyTimeoutMs: number): MigrationReport {
  const { database, presence, migration } = openMigrated(dataDirectory, busyTimeoutMs);
  database.close();
  presence[Symbol.dispose]();
  return migration;
}

function openMigrated(dataDirectory: string, busyTimeoutMs: number) {
  const file = join(dataDirectory, FILE_NAME);
  let database: DatabaseSync | undefined;
  let presence: Disposable | undefined;
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    presence = holdOpen(dataDirectory, busyTimeoutMs);
    database = new DatabaseSync(file, {
      timeout: busyTimeoutMs,
      enableForeignKeyConstraints: true,
    });
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA cache_size = -${CACHE_KIB};`);
    return { database, presence, migration: migrate(database, file) };
  } catch (error) {
    database?.close();
    presence?.[Symbol.dispose]();
    throw error instanceof StartError ? error : explained(error, dataDirectory, file);
  }
}
