import type { Table } from "../columns.ts";

export function listColumns({ key, others }: Table): readonly string[] {
  return `${key}, ${others}`.split(", ");
}

/** A table's number of rows and sum of units: the same in a copy. */
export interface TableTotals {
  readonly rows: number;
  readonly units: number;
}

/** The statement that reads a table's totals. */
export function totalsQuery({ name, summed }: Table): string {
  const units = summed === undefined ? "0" : `coalesce(sum(${summed}), 0)`;
  return `SELECT count(*) AS "rows", ${units} AS units FROM ${name}`;
}
