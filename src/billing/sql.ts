import { integerOf, type Tables, textOf } from "../storage/columns.ts";
import { type Engine, type Row, statement, type Transaction } from "../storage/engine.ts";
import type { AccountUsage, DailyUnits, PlanStore, UsageStore } from "./store.ts";

export const usageTables: Tables = {
  period_usage: { key: "account_id, period", others: "units", summed: "units" },
  daily_usage: { key: "account_id, day, api_key_id", others: "units", summed: "units" },
};

const USAGE = `
  SELECT a.plan, p.units_per_period,
    coalesce((SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = $2), 0)
      AS used_units
  FROM accounts a JOIN plans p ON p.name = a.plan
  WHERE a.id = $1`;

// Reads no more accounts than the page has, however few of them have units.
const USAGE_OF_ACCOUNTS = `
  SELECT a.id, a.email, a.plan, a.created_at, coalesce(p.units_per_period, 0) AS units_per_period,
    coalesce((SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = $1), 0)
      AS used_units
  FROM accounts a LEFT JOIN plans p ON p.name = a.plan
  WHERE a.id > $2 ORDER BY a.id LIMIT $3`;

export function usageStore(engine: Engine): UsageStore {
  return {
    async ofPeriod(accountId, period) {
      const [row] = await engine.query(USAGE, accountId, period);
      return row && usageOf(row);
    },

    async byDay(accountId, { day, keyId }, lastDay, limit) {
      const range = [accountId, day, keyId, accountId, lastDay] as const;
      return (await engine.query(engine.dailyUnits, ...range, limit)).map(dayOf);
    },

    async ofAccounts(period, afterId, limit) {
      const rows = await engine.query(USAGE_OF_ACCOUNTS, period, afterId, limit);
      return rows.map((row) => ({
        ...usageOf(row),
        accountId: textOf(row, "id"),
        email: textOf(row, "email"),
        createdAt: textOf(row, "created_at"),
      }));
    },

    async byKey(after, last, limit) {
      const range = [after.accountId, after.day, after.keyId, last.accountId, last.day] as const;
      const rows = await engine.query(engine.dailyUnits, ...range, limit);
      return rows.map((row) => ({
        ...dayOf(row),
        accountId: textOf(row, "account_id"),
        email: textOf(row, "email"),
        plan: textOf(row, "plan"),
        keyPrefix: textOf(row, "key_prefix"),
      }));
    },
  };
}

function usageOf(row: Row): AccountUsage {
  return {
    plan: textOf(row, "plan"),
    quotaUnits: integerOf(row, "units_per_period"),
    usedUnits: integerOf(row, "used_units"),
  };
}

function dayOf(row: Row): DailyUnits {
  return {
    day: textOf(row, "day"),
    keyId: textOf(row, "api_key_id"),
    units: integerOf(row, "units"),
  };
}

export const planTables: Tables = {
  plans: { key: "name", others: "units_per_period", summed: "units_per_period" },
};

const LIST_PLANS = "SELECT name, units_per_period FROM plans ORDER BY units_per_period, name";

const SET_PLAN = `
  INSERT INTO plans (name, units_per_period) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET units_per_period = excluded.units_per_period`;

// An index finds these accounts; of a million on one plan it reads no more than the limit.
const ACCOUNTS_ON_PLAN = `
  SELECT count(*) AS accounts FROM (SELECT 1 FROM accounts WHERE plan = $1 LIMIT $2) AS users`;

const REMOVE_PLAN = "DELETE FROM plans WHERE name = $1 RETURNING name";

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

    async set({ name, unitsPerPeriod }) {
      await engine.query(SET_PLAN, name, unitsPerPeriod);
    },

    // An account that moves to the plan after the count violates a foreign key: here, and
    // PostgreSQL runs these steps again, or there, and the account stays on its plan.
    remove: (name, countMax) =>
      engine.transaction(function* (): Transaction<"removed" | "unknown" | number> {
        const [row = {}] = yield statement(ACCOUNTS_ON_PLAN, name, countMax);
        const accounts = integerOf(row, "accounts");
        if (accounts > 0) return accounts;
        return (yield statement(REMOVE_PLAN, name)).length === 1 ? "removed" : "unknown";
      }),

    async missing() {
      return (await engine.queryWithPriority(MISSING_PLANS)).map((row) => textOf(row, "plan"));
    },
  };
}
