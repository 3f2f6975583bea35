import type { UsageStore } from "../../application/ports.ts";
import { integerOf, textOf } from "./columns.ts";
import type { Engine } from "./engine.ts";

const USAGE = `
  SELECT a.plan, p.units_per_period, coalesce(u.units, 0) AS used_units
  FROM accounts a
  JOIN plans p ON p.name = a.plan
  LEFT JOIN period_usage u ON u.account_id = a.id AND u.period = $2
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
  };
}
