import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FILE_NAME } from "../../src/platform/storage/sqlite/database-file.ts";

/** @returns the units that a store has charged since it was created. */
export type UnitsCharged = () => Promise<number>;

/** The two counts of the same units: by account and period, and by key and day. */
export const CHARGED_UNITS = `
  SELECT (SELECT coalesce(sum(units), 0) FROM period_usage) AS periods,
    (SELECT coalesce(sum(units), 0) FROM daily_usage) AS days`;

/** Reads the units in a data directory's database while its server runs. */
export function sqliteUnits(directory: string): UnitsCharged {
  return async () => {
    using database = new DatabaseSync(join(directory, FILE_NAME), { readOnly: true });
    return consistentTotal(database.prepare(CHARGED_UNITS).get());
  };
}

/** @throws when the two counts differ. */
export function consistentTotal(row: unknown): number {
  const { periods, days } = row as Record<"periods" | "days", number | string>;
  const [byPeriod, byDay] = [Number(periods), Number(days)];
  if (byPeriod !== byDay) throw new Error(`${byPeriod} units by period, ${byDay} by day`);
  return byPeriod;
}
