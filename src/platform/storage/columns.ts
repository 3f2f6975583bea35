import { HASHES_PER_STATEMENT } from "../shared/chunks.ts";
import type { Row } from "./engine.ts";

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

export function optionalIntegerOf(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integerOf(row, column);
}

export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new TypeError(`column ${column} is not bytes`);
  return value;
}

/** Whether a statement changes nothing. */
export function isRead(sql: string): boolean {
  return !/\b(?:INSERT|UPDATE|DELETE)\b/.test(sql);
}

/**
 * The condition that a column equals one of HASHES_PER_STATEMENT parameters. Their number does not
 * vary, so that an engine prepares the statement once.
 *
 * @param first the number of the first of these parameters.
 */
export function isOneOfHashes(column: string, first: number): string {
  const numbers = Array.from({ length: HASHES_PER_STATEMENT }, (_, index) => `$${first + index}`);
  return `${column} IN (${numbers.join(", ")})`;
}

/** @returns the parameters of `isOneOfHashes`: the missing ones are NULL, which equals nothing. */
export function hashParameters(hashes: readonly string[]): (string | null)[] {
  if (hashes.length > HASHES_PER_STATEMENT) throw new RangeError(`${hashes.length} hashes`);
  return Array.from({ length: HASHES_PER_STATEMENT }, (_, index) => hashes[index] ?? null);
}

/** A table as a copy of the store needs it; its columns are separated by commas. */
export interface Table {
  readonly name: string;
  readonly key: string;
  /** The columns besides the primary key's. */
  readonly others: string;
  /** A column of units, whose sum is compared after a copy. */
  readonly summed?: string;
  /** Whether a new database has rows of it: a copy replaces them. */
  readonly isFilled?: boolean;
}

/** Tables by their names, each after those that it references. */
export type Tables = Readonly<Record<string, Omit<Table, "name">>>;
