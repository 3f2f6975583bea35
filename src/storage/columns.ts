import type { Row } from "./engine.ts";

/**
 * The condition of an active key on a row of `api_keys`; after an alias, `k.${ACTIVE_KEY}`. The
 * statements on backups have their own: they also read older schemas.
 */
export const ACTIVE_KEY = "revoked_at IS NULL";

// These functions check what a statement returns: a column that is missing or has another type is a
// bug in this program, and the error names it.

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`column ${column} is not text`);
  return value;
}

export function optionalTextOf(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

export function integerOf(row: Row, column: string): number {
  const value = row[column];
  if (!Number.isSafeInteger(value)) throw new TypeError(`column ${column} is not an integer`);
  return value as number;
}

/** A table as a copy of the store needs it; its columns are separated by commas. */
export interface Table {
  readonly name: string;
  readonly key: string;
  /** The columns besides the primary key's. */
  readonly others: string;
  /** A column of units, whose sum is compared after a copy. */
  readonly summed?: string;
}

/** Tables by their names, each after those that it references. */
export type Tables = Readonly<Record<string, Omit<Table, "name">>>;
