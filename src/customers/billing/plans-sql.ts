import { writeEvent } from "../../platform/audit/sql.ts";
import { integerOf, type Tables, textOf } from "../../platform/storage/columns.ts";
import { type Engine, statement, type Transaction } from "../../platform/storage/engine.ts";
import { keepPlanTerms } from "./quota-sql.ts";
import type { PlanStore, PlanUses } from "./store.ts";

export const planTables: Tables = {
  plans: {
    key: "name",
    others: "units_per_period",
    summed: "units_per_period",
    isFilled: true,
  },
};

const LIST_PLANS = "SELECT name, units_per_period FROM plans ORDER BY units_per_period, name";

const HAS_OTHER_UNITS = "SELECT name FROM plans WHERE name = $1 AND units_per_period <> $2";

const SET_PLAN = `
  INSERT INTO plans (name, units_per_period) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET units_per_period = excluded.units_per_period
    WHERE plans.units_per_period <> excluded.units_per_period
  RETURNING name`;

const countOf = (table: string, condition: string) =>
  `(SELECT count(*) FROM
    (SELECT 1 FROM ${table} WHERE plan = $1 ${condition} LIMIT $2) AS counted)`;

// An index finds these rows; of a million accounts on one plan it reads no more than the limit.
const PLAN_USES = `
  SELECT ${countOf("accounts", "AND deleted_at IS NULL")} AS accounts,
    ${countOf("accounts", "AND deleted_at IS NOT NULL")} AS deleted_accounts,
    ${countOf("invitations", "")} AS invitations`;

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

    set: ({ name, unitsPerPeriod }, origin) =>
      engine.transaction(function* () {
        const isOther = (yield statement(HAS_OTHER_UNITS, name, unitsPerPeriod)).length === 1;
        if (isOther) yield keepPlanTerms(name, origin.at);
        const isChange = (yield statement(SET_PLAN, name, unitsPerPeriod)).length === 1;
        const details = { plan: name, units_per_period: unitsPerPeriod };
        if (isChange) yield writeEvent("plan.set", origin, { details });
      }),

    // An account that moves to the plan after the count violates a foreign key: here, and
    // PostgreSQL runs these steps again, or there, and the account stays on its plan.
    remove: (name, countMax, origin) =>
      engine.transaction(function* (): Transaction<"removed" | "unknown" | PlanUses> {
        const [row = {}] = yield statement(PLAN_USES, name, countMax);
        const uses = {
          accounts: integerOf(row, "accounts"),
          deletedAccounts: integerOf(row, "deleted_accounts"),
          invitations: integerOf(row, "invitations"),
        };
        if (Object.values(uses).some((count) => count > 0)) return uses;
        yield keepPlanTerms(name, origin.at);
        if ((yield statement(REMOVE_PLAN, name)).length === 0) return "unknown";
        yield writeEvent("plan.deleted", origin, { details: { plan: name } });
        return "removed";
      }),

    async missing() {
      return (await engine.queryWithPriority(MISSING_PLANS)).map((row) => textOf(row, "plan"));
    },
  };
}
