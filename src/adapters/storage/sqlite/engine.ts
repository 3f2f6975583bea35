import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreUnavailable } from "../../../application/ports.ts";
import type { Engine, Row, SqlValue, Statement, Transaction } from "../engine.ts";
import { prepareMeteredBatch } from "./metered-batch.ts";
import { ProvenCopies } from "./proven-copies.ts";

/** The low byte of a result code that says a constraint was broken (sqlite.org/rescode.html). */
const SQLITE_CONSTRAINT = 19;

/**
 * The engine on an opened, migrated database. Everything here is synchronous: a promise is made
 * only where the port wants one, and no transaction is ever left open between two turns.
 */
export function createSqliteEngine(database: DatabaseSync): Engine {
  const prepared = new Map<string, StatementSync>();
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const copies = new ProvenCopies(database);
  const dataVersion = { sql: "PRAGMA data_version", parameters: [] };
  let seenVersion: unknown;
  const readAll = prepareMeteredBatch(database, copies);

  const rowsOf = ({ sql, parameters }: Statement): Row[] => {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql.replaceAll(/\$(\d+)/g, "?$1"));
      prepared.set(sql, statement);
    }
    return statement.all(...(parameters as SqlValue[])) as Row[];
  };

  const atomically = <Result>(work: () => Result): Result => {
    // Before the try: the inner one must not undo the outer one's work.
    if (database.isTransaction) throw new Error("a transaction is open already");
    try {
      begin.run();
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // Some errors (a full disk) have rolled back already.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw storeError(error);
    }
  };

  const query: Engine["query"] = async (sql, ...parameters) => {
    try {
      if (!isRead(sql)) copies.drop();
      return rowsOf({ sql, parameters });
    } catch (error) {
      throw storeError(error);
    }
  };

  return {
    rowsAtOnce: 1,

    query,

    // Nothing ever waits here.
    queryFirst: query,

    // No lock: the file has one writer at a time.
    async transaction(steps) {
      copies.drop();
      return atomically(() => runThrough(steps(), rowsOf));
    },

    readBatch: (reads) =>
      atomically(() => {
        copies.prove();
        return readAll(reads);
      }),

    async writtenByOthers() {
      const [version] = rowsOf(dataVersion);
      const changed = version?.data_version !== seenVersion;
      seenVersion = version?.data_version;
      return changed;
    },

    async [Symbol.asyncDispose]() {
      if (database.isOpen) database.close();
    },
  };
}

function isRead(sql: string): boolean {
  return /^\s*SELECT\b/.test(sql);
}

function runThrough<Result>(
  steps: Transaction<Result>,
  rowsOf: (statement: Statement) => Row[],
): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next(rowsOf(step.value));
  return step.value;
}

/** What the database itself could not do is the store's failure; the rest is this program's. */
function storeError(error: unknown): unknown {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  const isDatabaseError = typeof code === "number" && (code & 0xff) !== SQLITE_CONSTRAINT;
  return isDatabaseError ? new StoreUnavailable(error) : error;
}
