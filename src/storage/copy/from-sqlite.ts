import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/start-error.ts";
import type { Table } from "../columns.ts";
import type { SqlValue } from "../engine.ts";
import { actAsOwnerOf } from "../sqlite/acting-user.ts";
import { backUpBeforeMigration } from "../sqlite/backup/before-migration.ts";
import { FILE_NAME } from "../sqlite/database-file.ts";
import { lockShared } from "../sqlite/lock-file.ts";
import { migrate } from "../sqlite/migrate.ts";
import { isDirectory } from "../sqlite/private-files.ts";
import { type TableTotals, totalsQuery } from "./tables.ts";

/** A whole store, read from beginning to end while no process writes to it. */
export interface CopySource extends Disposable {
  /** Each after those that it references. */
  readonly tables: readonly Table[];
  totals(table: Table): TableTotals;
  /** The rows of a table, in batches, each as its columns' values. */
  rows(table: Table, maxRowsPerStatement: number): Iterable<readonly (readonly SqlValue[])[]>;
}

/** A stored document may have some megabytes. */
const BYTES_PER_STATEMENT = 1024 * 1024;

/** How long to wait for a server that has the file locked. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the embedded database of a data directory, or its file, as the source of a copy. Its write
 * lock is held until disposed: no unit is charged meanwhile that the copy would miss.
 *
 * @throws {StartupError}
 */
export function openSqliteSource(path: string, tables: readonly Table[]): CopySource {
  const file = isDirectory(path) ? join(path, FILE_NAME) : path;
  if (!existsSync(file)) throw new StartupError(`There is no database at ${file}.`);
  using _owner = actAsOwnerOf(dirname(file));
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  let lock: Disposable | undefined;
  try {
    lock = lockShared(dirname(file), BUSY_TIMEOUT_MS);
    migrate(database, file, (schema) => backUpBeforeMigration(file, schema));
    database.exec("BEGIN IMMEDIATE");
  } catch (error) {
    database.close();
    lock?.[Symbol.dispose]();
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`Cannot read ${file}: ${reason}. Is its server stopped?`, error);
  }
  return {
    tables,

    totals(table) {
      const row = database.prepare(totalsQuery(table)).get();
      return { rows: Number(row?.rows), units: Number(row?.units) };
    },

    *rows({ name, key, others }, maxRowsPerStatement) {
      const statement = database.prepare(`SELECT ${key}, ${others} FROM ${name}`);
      statement.setReturnArrays(true);
      let batch: SqlValue[][] = [];
      let bytes = 0;
      for (const row of statement.iterate()) {
        const values = row as unknown as SqlValue[];
        for (const value of values) if (value instanceof Uint8Array) bytes += value.byteLength;
        batch.push(values);
        if (batch.length === maxRowsPerStatement || bytes >= BYTES_PER_STATEMENT) {
          yield batch;
          batch = [];
          bytes = 0;
        }
      }
      if (batch.length > 0) yield batch;
    },

    [Symbol.dispose]() {
      database.exec("ROLLBACK");
      database.close();
      lock?.[Symbol.dispose]();
    },
  };
}
