import { integerOf, type Tables } from "../../platform/storage/columns.ts";
import { type Row, type Statement, statement } from "../../platform/storage/engine.ts";
import { billingPeriodAt, type Quota, withGrants } from "./rules.ts";

/** Each after those that it references, accounts among them. */
export const termTables: Tables = {
  plan_terms: { key: "plan, through_period", others: "units_per_period" },
  account_terms: {
    key: "account_id, through_period",
    others: "plan, quota_units, quota_until",
  },
};

/** The units of a grant `g` that were used, in every period. */
export const USED_OF_GRANT =
  "coalesce((SELECT CAST(sum(u.units) AS bigint) FROM granted_usage u WHERE u.grant_id = g.id), 0)";

/** The quota of an account `a` on a plan `p` without its grants, at a time. */
export const accountQuota = (now: string, planUnits = "coalesce(p.units_per_period, 0)"): string =>
  `CASE WHEN a.quota_units IS NOT NULL AND coalesce(a.quota_until > ${now}, TRUE)
    THEN a.quota_units ELSE ${planUnits} END`;

/** The columns of `quotaOf`, of an account `a` on a plan `p`. */
export const quotaColumns = (period: string, now: string): string => `
  ${accountQuota(now)} AS account_units,
  CAST((
    SELECT coalesce(sum(u.units), 0)
    FROM unit_grants g JOIN granted_usage u ON u.grant_id = g.id AND u.period = ${period}
    WHERE g.account_id = a.id) AS bigint) AS granted_units,
  CAST((
    SELECT coalesce(sum(g.units - ${USED_OF_GRANT}), 0) FROM unit_grants g
    WHERE g.account_id = a.id AND g.revoked_at IS NULL
      AND coalesce(g.expires_at > ${now}, TRUE)) AS bigint) AS left_units,
  coalesce((SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = ${period}), 0)
    AS used_units`;

/** @param row with the `quotaColumns`. */
export function quotaOf(row: Row): Quota {
  return withGrants({
    quotaUnits: integerOf(row, "account_units"),
    usedUnits: integerOf(row, "used_units"),
    grantedUnits: integerOf(row, "granted_units"),
    leftUnits: integerOf(row, "left_units"),
  });
}

// Only the first change of a period writes a row: what was before it was true until its start.
const WRITE_ACCOUNT_TERMS = `
  INSERT INTO account_terms (account_id, through_period, plan, quota_units, quota_until)
  SELECT id, $2, plan, quota_units, quota_until FROM accounts WHERE id = $1
  ON CONFLICT (account_id, through_period) DO NOTHING`;

const WRITE_PLAN_TERMS = `
  INSERT INTO plan_terms (plan, through_period, units_per_period)
  SELECT name, $2, units_per_period FROM plans WHERE name = $1
  ON CONFLICT (plan, through_period) DO NOTHING`;

const periodBefore = (at: string) => billingPeriodAt(billingPeriodAt(Date.parse(at)).startMs - 1);

/** Keeps an account's plan and quota for the periods before a change; belongs before the change. */
export function keepAccountTerms(accountId: string, at: string): Statement {
  return statement(WRITE_ACCOUNT_TERMS, accountId, periodBefore(at).name);
}

/** Keeps a plan's units for the periods before a change, or a deletion; belongs before it. */
export function keepPlanTerms(plan: string, at: string): Statement {
  return statement(WRITE_PLAN_TERMS, plan, periodBefore(at).name);
}

const termsAt = (table: string, column: string, value: string, period: string) => `
  LEFT JOIN ${table} t ON t.${column} = ${value} AND t.through_period = (
    SELECT min(through_period) FROM ${table}
    WHERE ${column} = ${value} AND through_period >= ${period})`;

/**
 * Selects a page of accounts with their units in a period, and with the plan and quota that they
 * had at its end. Its parameters are the period, its last millisecond, the account to start after
 * and the most rows: it reads no more accounts, however few of them have units.
 */
export const USAGE_OF_ACCOUNTS = `
  SELECT a.id, a.email, a.plan, a.created_at, a.deleted_at, a.customer_number,
    ${accountQuota("$2", "coalesce(t.units_per_period, p.units_per_period, 0)")} AS account_units,
    coalesce((SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = $1), 0)
      AS used_units,
    (SELECT CAST(coalesce(sum(u.units), 0) AS bigint)
      FROM unit_grants g JOIN granted_usage u ON u.grant_id = g.id AND u.period = $1
      WHERE g.account_id = a.id) AS granted_units,
    (SELECT string_agg(g.reference, '; ' ORDER BY g.id)
      FROM unit_grants g JOIN granted_usage u ON u.grant_id = g.id AND u.period = $1
      WHERE g.account_id = a.id AND u.units > 0) AS reference_list
  FROM (
    SELECT a.id, a.email, a.created_at, a.deleted_at, a.customer_number,
      coalesce(t.plan, a.plan) AS plan,
      CASE WHEN t.plan IS NULL THEN a.quota_units ELSE t.quota_units END AS quota_units,
      CASE WHEN t.plan IS NULL THEN a.quota_until ELSE t.quota_until END AS quota_until
    FROM accounts a ${termsAt("account_terms", "account_id", "a.id", "$1")}
    WHERE a.id > $3 ORDER BY a.id LIMIT $4
  ) AS a
  LEFT JOIN plans p ON p.name = a.plan ${termsAt("plan_terms", "plan", "a.plan", "$1")}
  ORDER BY a.id`;
