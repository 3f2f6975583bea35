import type { Instant } from "../shared/instant.ts";
import { integerOf, optionalTextOf, textOf } from "../storage/columns.ts";
import type { Engine } from "../storage/engine.ts";
import type { UsageTotals } from "./rules/store.ts";

// One statement reads at one instant, so that both sums cover the same charges while a server runs.
// A join of the two would need an index that the daily sums lack: for 300,000 accounts it took
// minutes.
const COMPARE_UNITS = `
  SELECT count(*) AS disagreeing FROM (
    SELECT 1 FROM (
      SELECT account_id, period, units FROM period_usage
      UNION ALL SELECT account_id, substr(day, 1, 7), -units FROM daily_usage
    ) AS charges
    GROUP BY account_id, period HAVING sum(units) <> 0
  ) AS differing`;

const NEWEST = `
  SELECT max(written_at) AS newest_time FROM (
    SELECT max(created_at) AS written_at FROM accounts
    UNION ALL SELECT max(created_at) FROM sessions
    UNION ALL SELECT max(created_at) FROM api_keys
    UNION ALL SELECT max(revoked_at) FROM api_keys
    UNION ALL SELECT max(last_success_at) FROM sources
    UNION ALL SELECT max(last_error_at) FROM sources
  ) AS times`;

const TOTALS = `
  SELECT (SELECT count(*) FROM accounts WHERE deleted_at IS NULL) AS accounts,
    (SELECT max(day) FROM daily_usage) AS newest_day,
    CAST((SELECT coalesce(sum(units), 0) FROM period_usage) AS bigint) AS units`;

const RATES_BY_SOURCE = `
  SELECT source, count(*) AS pairs, max(as_of) AS newest_as_of FROM rates
  GROUP BY source ORDER BY source`;
// The foreign key requires that an account's plan is stored, but other programs can bypass it.
const MISSING_PLANS = `
  SELECT plan, count(*) AS accounts FROM accounts a
  WHERE NOT EXISTS (SELECT 1 FROM plans p WHERE p.name = a.plan)
  GROUP BY plan ORDER BY plan`;

/** Reads the totals that the doctor checks; writes nothing. */
export async function readUsageTotals(engine: Pick<Engine, "query">): Promise<UsageTotals> {
  const [compared = {}] = await engine.query(COMPARE_UNITS);
  const [newest = {}] = await engine.query(NEWEST);
  const [totals = {}] = await engine.query(TOTALS);
  const rates = await engine.query(RATES_BY_SOURCE);
  const missing = await engine.query(MISSING_PLANS);
  return {
    disagreeing: integerOf(compared, "disagreeing"),
    accounts: integerOf(totals, "accounts"),
    units: integerOf(totals, "units"),
    newestTime: optionalTextOf(newest, "newest_time"),
    newestDay: optionalTextOf(totals, "newest_day"),
    rates: rates.map((row) => ({
      source: textOf(row, "source"),
      pairs: integerOf(row, "pairs"),
      newestAsOf: textOf(row, "newest_as_of") as Instant,
    })),
    missingPlans: missing.map((row) => ({
      name: textOf(row, "plan"),
      accounts: integerOf(row, "accounts"),
    })),
  };
}
