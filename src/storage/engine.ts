import type { StoreStatus } from "../shared/store.ts";

export type SqlValue = string | number | null;

export type Row = Readonly<Record<string, unknown>>;

/** A portable statement: its parameters stand as $1, $2 … */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/**
 * Several statements that count as one: a generator that yields each statement and is handed its
 * rows. So the same text runs through without a pause where the engine is synchronous (SQLite: a
 * transaction that awaits would let a metered batch start inside it) and awaits where it is not.
 */
export type Transaction<Result> = Generator<Statement, Result, Row[]>;

/** What differs between the databases: connection and transactions. */
export interface Engine extends StoreStatus, AsyncDisposable {
  /**
   * Rows that a statement should have of many: over a network as many as it may, since the round
   * trips count; in the embedded database one, for a short prepared statement is quickest there
   * (measured on an import: 99,000 rates a second, and 42,000 with 500 in a statement).
   */
  readonly maxRowsPerStatement: number;
  /**
   * Selects a page of `day`, `api_key_id` and `units`: of an account, after a day and key, up to a
   * day of the same month, at most a number of rows. Each engine counts in tables of its own.
   */
  readonly dailyUnits: string;
  /** Runs one statement by itself. @throws {StoreUnavailable}, {StoreOverloaded} when too many wait. */
  query(sql: string, ...parameters: SqlValue[]): Promise<Row[]>;
  /** As `query`, but before whatever waits: for a question that is asked once at a time. */
  queryWithPriority(sql: string, ...parameters: SqlValue[]): Promise<Row[]>;
  /**
   * Runs all of a transaction, or nothing of it. The steps may be run again from the start when
   * another transaction was in the way.
   *
   * @param lock transactions of the same lock run one after the other, on all nodes: for those that
   *   read first and write by what they read.
   * @throws {StoreUnavailable}
   */
  transaction<Result>(steps: () => Transaction<Result>, lock?: string): Promise<Result>;
}

export function statement(sql: string, ...parameters: SqlValue[]): Statement {
  return { sql, parameters };
}
