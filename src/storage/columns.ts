import type { Row } from "./engine.ts";

// What a statement returns is checked, not believed: a column that is missing or of another type
// is a mistake in this program, and says its name.

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`column ${column} is no text`);
  return value;
}

export function optionalTextOf(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

export function integerOf(row: Row, column: string): number {
  const value = row[column];
  if (!Number.isSafeInteger(value)) throw new TypeError(`column ${column} is no integer`);
  return value as number;
}
