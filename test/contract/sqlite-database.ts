import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSqliteEngine } from "../../src/platform/storage/sqlite/engine.ts";
import { createFileIdentityCheck } from "../../src/platform/storage/sqlite/health/file-guard.ts";
import { migrate } from "../../src/platform/storage/sqlite/migrate.ts";
import { migrateSqlite } from "../../src/platform/storage/sqlite/open.ts";
import { createSqliteBatches } from "../../src/reads/metering/batch/sqlite.ts";
import { temporaryDirectory } from "../support/process.ts";
import { openSqliteStore } from "../support/stores.ts";
import type { TestDatabase } from "./suite/database.ts";

const BUSY_TIMEOUT_MS = 1000;

const SET_DAILY_UNITS = `
  UPDATE charged_units SET units = ?2
  WHERE day > 0 AND account = (SELECT number FROM accounts WHERE id = ?1)`;

export interface SqliteTestDatabase extends TestDatabase {
  /** The data directory. */
  readonly directory: string;
  /** A bare connection to the file. */
  openDatabase(): DatabaseSync;
}

let migrated: Promise<Buffer> | undefined;

/** Like `createSqliteDatabase`, but with all tables: copies a file that was migrated once. */
export async function createMigratedSqliteDatabase(): Promise<SqliteTestDatabase> {
  migrated ??= migratedFile();
  const bytes = await migrated;
  const database = await createSqliteDatabase();
  await writeFile(join(database.directory, "kurs.db"), bytes, { mode: 0o600 });
  return database;
}

async function migratedFile(): Promise<Buffer> {
  await using directory = await temporaryDirectory();
  migrateSqlite(directory.path, BUSY_TIMEOUT_MS);
  return await readFile(join(directory.path, "kurs.db"));
}

/** Creates a directory for an SQLite database; stores open it through production's constructor. */
export async function createSqliteDatabase(): Promise<SqliteTestDatabase> {
  await using starting = new AsyncDisposableStack();
  const { path: directory } = starting.use(await temporaryDirectory());
  const file = join(directory, "kurs.db");
  const openDatabase = () => {
    const options = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true };
    return new DatabaseSync(file, options);
  };
  const opened = starting.move();
  return {
    directory,
    openDatabase: () => opened.adopt(openDatabase(), (database) => database.close()),
    openStore: () => opened.use(openSqliteStore(directory, BUSY_TIMEOUT_MS)),
    openEngine() {
      const database = openDatabase();
      database.exec("PRAGMA journal_mode = WAL");
      migrate(database, () => assert.fail("a new database needs no backup"));
      const engine = opened.use(createSqliteEngine(database, createFileIdentityCheck(file)));
      return { ...engine, ...createSqliteBatches(engine) };
    },
    async setDailyUnits(accountId, units) {
      using database = openDatabase();
      database.prepare(SET_DAILY_UNITS).run(accountId, units);
    },
    async losePlan(name) {
      using database = openDatabase();
      database.exec("PRAGMA foreign_keys = OFF");
      database.prepare("DELETE FROM plans WHERE name = ?").run(name);
    },
    async withoutForeignKeys(sql) {
      using database = openDatabase();
      database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
