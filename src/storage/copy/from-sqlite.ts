import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/start-error.ts";
import type { SqlValue } from "../engine.ts";
import { actAsOwnerOf } from "../sqlite/acting-user.ts";
import { lockShared } from "../sqlite/lock-file.ts";
import { migrate } from "../sqlite/migrate.ts";
import { FILE_NAME } from "../sqlite/open.ts";
import { columnsOf, type Table, type TableTotals, totalsQuery } from "./tables.ts";

/** A whole store that is read from its beginning to its end, while nobody writes to it. */
export interface CopySource extends Disposable {
  tally(table: Table): TableTotals;
  /** The rows of a table, in bunches, each as its columns' values. */
  rows(table: Table, maxRowsPerStatement: number): Iterable<readonly (readonly SqlValue[])[]>;
}

/** How long a server beside us may take to let go of the file. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the embedded database of a data directory, or its file, as the source of a copy. Its write
 * lock is held until it is closed: nothing is charged meanwhile that the copy would not know.
 *
 * @throws {StartupError}
 */
export function openSqliteSource(path: string): CopySource {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const file = isDirectory ? join(path, FILE_NAME) : path;
  if (!existsSync(file)) throw new StartupError(`There is no database at ${file}.`);
  using _owner = actAsOwnerOf(dirname(file));
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  let presence: Disposable | undefined;
  try {
    presence = lockShared(dirname(file), BUSY_TIMEOUT_MS);
    migrate(database, file);
    database.exec("BEGIN IMMEDIATE");
  } catch (error) {
    database.close();
    presence?.[Symbol.dispose]();
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`Cannot read ${file}: ${reason}. Is its server stopped?`, error);
  }
  return {
    tally(table) {
      const row = database.prepare(totalsQuery(table)).get();
      return { rows: Number(row?.rows), units: Number(row?.units) };
    },

    *rows(table, maxRowsPerStatement) {
      const statement = database.prepare(
        `SELECT ${columnsOf(table).join(", ")} FROM ${table.name}`,
      );
      statement.setReturnArrays(true);
      let bunch: SqlValue[][] = [];
      for (const row of statement.iterate()) {
        bunch.push(row as unknown as SqlValue[]);
        if (bunch.length === maxRowsPerStatement) {
          yield bunch;
          bunch = [];
        }
      }
      if (bunch.length > 0) yield bunch;
    },

    [Symbol.dispose]() {
      database.exec("ROLLBACK");
      database.close();
      presence?.[Symbol.dispose]();
    },
  };
}
