import type { UsageStore } from "../../application/ports.ts";
import { integerOf, textOf } from "./columns.ts";
import type { Engine } from "./engine.ts";

const USAGE = `
  SELECT a.plan, p.units_per_period,
    coalesce((SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = $2), 0)
      AS used_units
  FROM accounts a JOIN plans p ON p.name = a.plan
  WHERE a.id = $1`;

// The primary key finds the days, and has them in this very order: SQLite sorts nothing, PostgreSQL
// only where many rows make that cheaper. Keys are not joined: what a revoked one has used is told.
const DAILY_UNITS = `
  SELECT day, api_key_id, units FROM daily_usage
  WHERE account_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day, api_key_id`;

export function usageStore(engine: Engine): UsageStore {
  return {
    async usageOf(accountId, period) {
      const [row] = await engine.query(USAGE, accountId, period);
      if (row === undefined) return undefined;
      return {
        plan: textOf(row, "plan"),
        quotaUnits: integerOf(row, "units_per_period"),
        usedUnits: integerOf(row, "used_units"),
      };
    },

    async dailyUnits(accountId, firstDay, lastDay) {
      const rows = await engine.query(DAILY_UNITS, accountId, firstDay, lastDay);
      return rows.map((row) => ({
        day: textOf(row, "day"),
        keyId: textOf(row, "api_key_id"),
        units: integerOf(row, "units"),
      }));
    },
  };
}
