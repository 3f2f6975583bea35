import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FILE_NAME } from "../../src/storage/sqlite/open.ts";

/** @returns all the units that a store has charged, ever. */
export type UnitsCharged = () => Promise<number>;

/** The two counts of the same units: by account and period, and by key and day. */
export const UNITS = `
  SELECT (SELECT coalesce(sum(units), 0) FROM period_usage) AS periods,
    (SELECT coalesce(sum(units), 0) FROM daily_usage) AS days`;

/** Reads the units in a data directory's database, beside the server that writes them. */
export function booksOf(directory: string): UnitsCharged {
  return async () => {
    using database = new DatabaseSync(join(directory, FILE_NAME), { readOnly: true });
    return agreed(database.prepare(UNITS).get());
  };
}

/** @throws when the two counts are not the same. */
export function agreed(row: unknown): number {
  const { periods, days } = row as Record<"periods" | "days", number | string>;
  const [byPeriod, byDay] = [Number(periods), Number(days)];
  if (byPeriod !== byDay) throw new Error(`${byPeriod} units by period, ${byDay} by day`);
  return byPeriod;
}
