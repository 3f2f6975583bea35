import type { StoreStatus } from "../shared/store.ts";

export type SqlValue = string | number | null | Uint8Array;

export type Row = Readonly<Record<string, unknown>>;

/** A portable statement: its parameters are written as $1, $2 … */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/**
 * Statements that take effect together: a generator that yields each statement and receives its
 * rows. The same code thus runs without a pause on a synchronous engine (SQLite: a transaction that
 * awaits would let a metered batch start inside it) and awaits on an asynchronous one. See
 * docs/decisions/0001-transactions-as-generators.md.
 */
export type Transaction<Result> = Generator<Statement, Result, Row[]>;

/** The part that differs between the databases: connections and transactions. */
export interface Engine extends StoreStatus, AsyncDisposable {
  /**
   * How many rows one statement should have: over a network as many as possible, to save round
   * trips; in the embedded database a few, since short prepared statements are fastest there.
   */
  readonly maxRowsPerStatement: number;
  /** Runs one statement. @throws {StoreUnavailable}, {StoreOverloaded} when the queue is full. */
  query(sql: string, ...parameters: SqlValue[]): Promise<Row[]>;
  /** Like `query`, but ahead of the queue: for statements of which only one runs at a time. */
  queryWithPriority(sql: string, ...parameters: SqlValue[]): Promise<Row[]>;
  /**
   * Runs all of a transaction, or nothing of it. May run the steps again from the start after a
   * conflict with another transaction.
   *
   * @param lock transactions with the same lock run one after the other, on all nodes: for those
   *   whose writes depend on what they read.
   * @throws {StoreUnavailable}
   */
  transaction<Result>(steps: () => Transaction<Result>, lock?: string): Promise<Result>;
}

export function statement(sql: string, ...parameters: SqlValue[]): Statement {
  return { sql, parameters };
}
