import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../shared/program/start-error.ts";
import type { Table } from "../columns.ts";
import type { SqlValue } from "../engine.ts";
import { knownSchema, requireKnownSchema } from "../migrations.ts";
import { rejectBackup } from "../sqlite/backup-note.ts";
import { FILE_NAME, openToRead } from "../sqlite/database-file.ts";
import { explained } from "../sqlite/errors.ts";
import { lockExclusive } from "../sqlite/lock-file.ts";
import { readSchema } from "../sqlite/migrate.ts";
import { requireOwner } from "../sqlite/owner.ts";
import { isDirectory } from "../sqlite/private-files.ts";
import { type TableTotals, totalsQuery } from "./tables.ts";

/** A whole store, read from beginning to end while no process writes to it. */
export type CopySource = ReturnType<typeof openSqliteSource>;

/** A stored document may have some megabytes. */
const BYTES_PER_STATEMENT = 1024 * 1024;

/**
 * Opens the embedded database of a data directory, or its file, as the source of a copy. Until
 * disposed, no other process opens it: no unit is charged that the copy would miss. Changes
 * nothing, because a read-only connection never checkpoints the WAL.
 *
 * @param tables each after those that it references.
 * @throws {StartupError} when a server or a command has it open, or for another schema.
 */
export function openSqliteSource(path: string, tables: readonly Table[]) {
  const file = isDirectory(path) ? join(path, FILE_NAME) : path;
  if (!existsSync(file)) throw new StartupError(`There is no database at ${file}.`);
  requireOwner(dirname(file));
  requireOwner(file);
  using opening = new DisposableStack();
  const database = openAlone(file, opening);
  const opened = opening.move();
  return {
    tables,

    totals(table: Table): TableTotals {
      const row = database.prepare(totalsQuery(table)).get();
      return { rows: Number(row?.rows), units: Number(row?.units) };
    },

    /** The rows of a table, in batches, each as its columns' values. */
    *rows({ name, key, others }: Table, maxRowsPerStatement: number): Iterable<SqlValue[][]> {
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

    [Symbol.dispose]: () => opened.dispose(),
  };
}

/** Opens a database of the program's schema, and keeps the state that it reads. */
function openAlone(file: string, opening: DisposableStack): DatabaseSync {
  try {
    opening.use(lockExclusive(dirname(file)));
    const database = opening.use(openToRead(file));
    database.exec("BEGIN");
    const [schema, known] = [readSchema(database), knownSchema("sqlite")];
    if (schema === 0) throw new StartupError(`${file} is not a Kurs database.`);
    requireKnownSchema("sqlite", `The database ${file}`, schema);
    rejectBackup(database);
    if (schema < known) {
      throw new StartupError(
        `${file} has schema ${schema}, and this program copies schema ${known}: run kurs migrate ` +
          "with its directory as DATA_DIR first.",
      );
    }
    return database;
  } catch (error) {
    throw explained(error, dirname(file), file);
  }
}
