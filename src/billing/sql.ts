import { writeEvent } from "../audit/sql.ts";
import { integerOf, type Tables, textOf } from "../storage/columns.ts";
import { type Engine, type Row, statement } from "../storage/engine.ts";
import type { AccountUsage, PlanStore, UsageStore } from "./store.ts";

export const usageTables: Tables = {
  period_usage: { key: "account_id, period", others: "units", summed: "units" },
  quota_notices: { key: "account_id, period, threshold", others: "written_at" },
  daily_usage: { key: "account_id, day, api_key_id", others: "units", summed: "units" },
};

/** Selects the plan, quota and used units of an account in a period. */
export const USAGE = `
  SELECT a.plan, p.units_per_period,
    coalesce((SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = $2), 0)
      AS used_units
  FROM accounts a JOIN plans p ON p.name = a.plan
  WHERE a.id = $1`;

export function usageStore(engine: Engine): UsageStore {
  return {
    async ofPeriod(accountId, period) {
      const [row] = await engine.query(USAGE, accountId, period);
      return row && usageOf(row);
    },

    async byDay(accountId, { day, keyId }, lastDay, limit) {
      const rows = await engine.query(engine.dailyUnits, accountId, day, keyId, lastDay, limit);
      return rows.map((row) => ({
        day: textOf(row, "day"),
        keyId: textOf(row, "api_key_id"),
        units: integerOf(row, "units"),
      }));
    },
  };
}

/** @param row of `USAGE`. */
export function usageOf(row: Row): AccountUsage {
  return {
    plan: textOf(row, "plan"),
    quotaUnits: integerOf(row, "units_per_period"),
    usedUnits: integerOf(row, "used_units"),
  };
}

export const planTables: Tables = {
  plans: { key: "name", others: "units_per_period", summed: "units_per_period" },
};

const LIST_PLANS = "SELECT name, units_per_period FROM plans ORDER BY units_per_period, name";

const SET_PLAN = `
  INSERT INTO plans (name, units_per_period) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET units_per_period = excluded.units_per_period
    WHERE plans.units_per_period <> excluded.units_per_period
  RETURNING name`;

// Finds each plan in use from the previous one through the index. The outer SELECT is needed: on
// SQLite, the engine does not treat a text that begins with WITH as a read.
const MISSING_PLANS = `
  SELECT plan FROM (
    WITH RECURSIVE used (plan) AS (
      SELECT min(plan) FROM accounts
      UNION ALL
      SELECT (SELECT min(a.plan) FROM accounts a WHERE a.plan > used.plan) FROM used
      WHERE used.plan IS NOT NULL
    )
    SELECT plan FROM used
    WHERE plan IS NOT NULL AND NOT EXISTS (SELECT 1 FROM plans p WHERE p.name = used.plan)
  ) AS missing`;

export function planStore(engine: Engine): PlanStore {
  return {
    async list() {
      const rows = await engine.query(LIST_PLANS);
      return rows.map((row) => ({
        name: textOf(row, "name"),
        unitsPerPeriod: integerOf(row, "units_per_period"),
      }));
    },

    set: ({ name, unitsPerPeriod }, origin) =>
      engine.transaction(function* () {
        const isChange = (yield statement(SET_PLAN, name, unitsPerPeriod)).length === 1;
        const details = { plan: name, units_per_period: unitsPerPeriod };
        if (isChange) yield writeEvent("plan.set", origin, { details });
      }),

    async missing() {
      return (await engine.queryWithPriority(MISSING_PLANS)).map((row) => textOf(row, "plan"));
    },
  };
}
