import type { Instant } from "../../platform/shared/instant.ts";
import { integerOf, optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import type { Engine } from "../../platform/storage/engine.ts";
import { trustedTimeStore } from "../cleanup/trusted-time-sql.ts";
import type { UsageTotals } from "./rules/store.ts";

/** The statements about units: each engine has its own tables for them. */
export interface UnitStatements {
  /**
   * Selects how many pairs of account and period have different units by period and by day
   * (`disagreeing`), and the sum by period (`units`). One statement reads at one instant, so that
   * both counts cover the same charges while a server runs.
   */
  readonly compare: string;
  /** Selects the last day with units (`newest_day`). */
  readonly newestDay: string;
}

const NEWEST = `
  SELECT max(written_at) AS newest_time FROM (
    SELECT max(created_at) AS written_at FROM sessions
    UNION ALL SELECT max(created_at) FROM api_keys
    UNION ALL SELECT max(revoked_at) FROM api_keys
    UNION ALL SELECT max(last_success_at) FROM sources
    UNION ALL SELECT max(last_error_at) FROM sources
  ) AS times`;

// One scan of the accounts, which takes 0.16 s for a million.
const ACCOUNTS = `
  SELECT count(*) FILTER (WHERE deleted_at IS NULL) AS accounts, max(created_at) AS newest_time
  FROM accounts`;

const RATES_BY_SOURCE = `
  SELECT source, count(*) AS pairs, max(as_of) AS newest_as_of FROM rates
  GROUP BY source ORDER BY source`;

// The foreign key requires that an account's plan is stored, but other programs can bypass it.
const MISSING_PLANS = `
  SELECT used.plan, used.accounts
  FROM (SELECT plan, count(*) AS accounts FROM accounts GROUP BY plan) AS used
  WHERE NOT EXISTS (SELECT 1 FROM plans p WHERE p.name = used.plan)
  ORDER BY used.plan`;

/** Reads the totals that the doctor checks; writes nothing. */
export async function readUsageTotals(
  engine: Engine,
  statements: UnitStatements,
): Promise<UsageTotals> {
  const [compared = {}] = await engine.query(statements.compare);
  const [newestDay = {}] = await engine.query(statements.newestDay);
  const [accounts = {}] = await engine.query(ACCOUNTS);
  const [others = {}] = await engine.query(NEWEST);
  const rates = await engine.query(RATES_BY_SOURCE);
  const missing = await engine.query(MISSING_PLANS);
  const trustedTime = await trustedTimeStore(engine).newest();
  const times = [accounts, others].flatMap((row) => optionalTextOf(row, "newest_time") ?? []);
  return {
    disagreeing: integerOf(compared, "disagreeing"),
    accounts: integerOf(accounts, "accounts"),
    units: integerOf(compared, "units"),
    newestTime: times.sort().at(-1),
    newestDay: optionalTextOf(newestDay, "newest_day"),
    trustedTime,
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
