import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const DAYS = 30;
const DAY_MS = 86_400_000;

// Both rows of a charge: the key's day, and the period (docs/decisions/0012-units-in-rows-of-numbers.md).
const SEED = `
  INSERT INTO charged_units (period, account, day, api_key, units)
  SELECT substr(?2, 1, 7), a.number, CAST(substr(?2, 9) AS INTEGER), k.number, ?3
  FROM api_keys k JOIN accounts a ON a.id = k.account_id
  WHERE a.email = ?1 AND k.name = ?4
  UNION ALL
  SELECT substr(?2, 1, 7), number, 0, 0, ?3 FROM accounts WHERE email = ?1
  ON CONFLICT DO UPDATE SET units = units + excluded.units`;

/**
 * Stores a month of usage for two keys of an account, for a screenshot of the chart: reads as of a
 * small shop, few on weekends, and more towards the end of the month.
 */
export function seedUsage(dataDirectory: string, email: string): void {
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"));
  const insert = database.prepare(SEED);
  for (let daysAgo = 0; daysAgo < DAYS; daysAgo += 1) {
    const day = new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
    const isQuiet = new Date(day).getUTCDay() % 6 === 0;
    const units = isQuiet ? 3 : 34 - daysAgo + ((daysAgo * 7) % 11);
    insert.run(email, day, units, "nightly invoices");
    if (daysAgo < 18)
      insert.run(
        email,
        day,
        isQuiet ? 12 : 21 - daysAgo,
        "a shop with quite a long name of its key",
      );
  }
}
