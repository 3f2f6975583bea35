import { integerOf, textOf } from "../storage/columns.ts";
import type { Engine } from "../storage/engine.ts";
import type { UsageStore } from "./store.ts";

const USAGE = `
  SELECT a.plan, p.units_per_period,
    coalesce((SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = $2), 0)
      AS used_units
  FROM accounts a JOIN plans p ON p.name = a.plan
  WHERE a.id = $1`;

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

    async dailyUnits(accountId, { day, keyId }, lastDay, limit) {
      const rows = await engine.query(engine.dailyUnits, accountId, day, keyId, lastDay, limit);
      return rows.map((row) => ({
        day: textOf(row, "day"),
        keyId: textOf(row, "api_key_id"),
        units: integerOf(row, "units"),
      }));
    },
  };
}
