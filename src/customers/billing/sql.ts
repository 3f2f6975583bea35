import { timestamp } from "../../platform/shared/instant.ts";
import { integerOf, optionalTextOf, type Tables, textOf } from "../../platform/storage/columns.ts";
import type { Engine, Row } from "../../platform/storage/engine.ts";
import { quotaColumns, quotaOf, USAGE_OF_ACCOUNTS } from "./quota-sql.ts";
import type { DailyUnits, UsageStore } from "./store.ts";

export const usageTables: Tables = {
  period_usage: { key: "account_id, period", others: "units", summed: "units" },
  quota_notices: { key: "account_id, period, threshold", others: "written_at" },
  daily_usage: { key: "account_id, day, api_key_id", others: "units", summed: "units" },
};

/** Selects the plan and the `quotaColumns` of an account in a period, at a time. */
export const USAGE = `
  SELECT a.plan, ${quotaColumns("$2", "$3")}
  FROM accounts a JOIN plans p ON p.name = a.plan
  WHERE a.id = $1`;

// An id is a UUIDv7, so the order of ids is the order of creation.
const KEYS = `
  SELECT id, created_at FROM api_keys WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`;

/** Each engine has its own tables for the units by day and key. */
export interface UnitStatements {
  /**
   * Selects a page of `account_id`, `day`, `api_key_id`, `key_prefix` and `units` within one month,
   * ordered by account, day and key. Its parameters are the account, day and key to start after,
   * the last account, the last day and the most rows. With the month alone as the day, it starts
   * with the account's first day.
   */
  readonly dailyUnits: string;
  /**
   * Selects `api_key_id`, `day` (the last one with units) and `units` of an account's keys in one
   * month. Its parameters are the account, the month, and the ids of the first and the last key.
   */
  readonly monthOfKeys: string;
  /**
   * Selects `line`, `period_units` and `day_units` of each line of an account's keys with units in
   * one month. Its parameters are the account, the month and a day of it.
   */
  readonly unitsOfLines: string;
  /**
   * Selects `api_key_id`, `key_prefix`, `day` and `units` of an account in one month, ordered by
   * key and day, all at one instant. Without a key come its counters before: of the months until
   * then (day ''), and of the month (its name). Its parameters are the account and the month.
   */
  readonly statedUnits: string;
}

export function usageStore(
  engine: Engine,
  { dailyUnits, monthOfKeys, unitsOfLines, statedUnits }: UnitStatements,
): UsageStore {
  return {
    async ofPeriod(accountId, period, now) {
      const [row] = await engine.query(USAGE, accountId, period, now);
      return row && { plan: textOf(row, "plan"), ...quotaOf(row) };
    },

    async byDay(accountId, { day, keyId }, lastDay, limit) {
      const range = [accountId, day, keyId, accountId, lastDay] as const;
      return (await engine.query(dailyUnits, ...range, limit)).map(dayOf);
    },

    async keys(accountId, afterId, limit) {
      const rows = await engine.query(KEYS, accountId, afterId, limit);
      return rows.map((row) => ({
        keyId: textOf(row, "id"),
        createdAt: textOf(row, "created_at"),
      }));
    },

    async monthOfKeys(...range) {
      return (await engine.query(monthOfKeys, ...range)).map(dayOf);
    },

    async ofLines(accountId, period, day) {
      const rows = await engine.query(unitsOfLines, accountId, period, day);
      return new Map(
        rows.map((row) => [
          textOf(row, "line"),
          { periodUnits: integerOf(row, "period_units"), dayUnits: integerOf(row, "day_units") },
        ]),
      );
    },

    async ofStatement(accountId, period) {
      const rows = await engine.query(statedUnits, accountId, period);
      const all = rows.map((row) => ({ ...dayOf(row), keyPrefix: textOf(row, "key_prefix") }));
      const counted = (counter: string) => all.find(({ day }) => day === counter)?.units ?? 0;
      const days = all.filter(({ keyId }) => keyId !== "");
      return { earlierUnits: counted(""), periodUnits: counted(period), days };
    },

    async ofAccounts({ name, endMs }, afterId, limit) {
      const last = timestamp(endMs - 1);
      const rows = await engine.query(USAGE_OF_ACCOUNTS, name, last, afterId, limit);
      return rows.map((row) => ({
        accountId: textOf(row, "id"),
        email: row.deleted_at === null ? textOf(row, "email") : "",
        plan: textOf(row, "plan"),
        quotaUnits: integerOf(row, "account_units"),
        usedUnits: integerOf(row, "used_units"),
        grantedUnits: integerOf(row, "granted_units"),
        references: optionalTextOf(row, "reference_list") ?? "",
        customerNumber: optionalTextOf(row, "customer_number"),
        createdAt: textOf(row, "created_at"),
        deletedAt: optionalTextOf(row, "deleted_at"),
      }));
    },

    async byKey(after, last, limit) {
      const range = [after.accountId, after.day, after.keyId, last.accountId, last.day] as const;
      const rows = await engine.query(dailyUnits, ...range, limit);
      return rows.map((row) => ({
        ...dayOf(row),
        accountId: textOf(row, "account_id"),
        keyPrefix: textOf(row, "key_prefix"),
      }));
    },
  };
}

function dayOf(row: Row): DailyUnits {
  return {
    day: textOf(row, "day"),
    keyId: textOf(row, "api_key_id"),
    units: integerOf(row, "units"),
  };
}

export const postgresUnitStatements: UnitStatements = {
  // The primary keys find the rows in this order, account by account; other months are not read.
  // The inner limit ensures that: without it PostgreSQL may join whole tables.
  dailyUnits: `
    SELECT a.id AS account_id, u.day, u.api_key_id,
      (SELECT key_prefix FROM api_keys k WHERE k.id = u.api_key_id) AS key_prefix, u.units
    FROM accounts a CROSS JOIN LATERAL (
      SELECT day, api_key_id, units FROM daily_usage
      WHERE account_id = a.id AND day <= $5 AND (day, api_key_id) > (
        CASE WHEN a.id = $1 THEN $2 ELSE substr($2, 1, 7) END,
        CASE WHEN a.id = $1 THEN $3 ELSE '' END)
      ORDER BY day, api_key_id LIMIT $6
    ) u
    WHERE a.id >= $1 AND a.id <= $4
    ORDER BY a.id, u.day, u.api_key_id LIMIT $6`,

  // The primary key finds the rows of the month: at most some 6,000, because an account has at most
  // 100 active keys.
  monthOfKeys: `
    SELECT api_key_id, max(day) AS day, CAST(sum(units) AS bigint) AS units FROM daily_usage
    WHERE account_id = $1 AND day >= $2 || '-01' AND day <= $2 || '-31'
      AND api_key_id >= $3 AND api_key_id <= $4
    GROUP BY api_key_id`,

  unitsOfLines: `
    SELECT coalesce(k.line, k.id) AS line, CAST(sum(u.units) AS bigint) AS period_units,
      CAST(coalesce(sum(u.units) FILTER (WHERE u.day = $3), 0) AS bigint) AS day_units
    FROM daily_usage u JOIN api_keys k ON k.id = u.api_key_id
    WHERE u.account_id = $1 AND u.day >= $2 || '-01' AND u.day <= $2 || '-31'
    GROUP BY coalesce(k.line, k.id)`,

  statedUnits: `
    SELECT '' AS api_key_id, '' AS key_prefix, CASE WHEN period < $2 THEN '' ELSE $2 END AS day,
      CAST(sum(units) AS bigint) AS units
    FROM period_usage WHERE account_id = $1 AND period <= $2 GROUP BY 3
    UNION ALL
    SELECT api_key_id, (SELECT key_prefix FROM api_keys k WHERE k.id = u.api_key_id), day, units
    FROM daily_usage u
    WHERE account_id = $1 AND day >= $2 || '-01' AND day <= $2 || '-31'
    ORDER BY 1, 3`,
};

export const sqliteUnitStatements: UnitStatements = {
  // Reads the table of charges, not the view, which computes each row's day: the primary keys find
  // a page's rows in this order. The numbers of API keys follow the order of their creation. Day 0
  // has the account's units of the period.
  dailyUnits: `
    SELECT a.id AS account_id, c.period || printf('-%02d', c.day) AS day, k.id AS api_key_id,
      k.key_prefix, c.units
    FROM accounts a CROSS JOIN charged_units c CROSS JOIN api_keys k ON k.number = c.api_key
    WHERE a.id >= $1 AND a.id <= $4 AND c.account = a.number AND c.period = substr($2, 1, 7)
      AND (c.day, c.api_key) > (
        iif(a.id = $1, CAST(substr($2, 9) AS INTEGER), 0),
        iif(a.id = $1, coalesce((SELECT number FROM api_keys WHERE id = $3), 0), 0))
      AND c.day <= CAST(substr($5, 9) AS INTEGER)
    ORDER BY a.id, c.day, c.api_key LIMIT $6`,

  // The primary key finds the rows of the month.
  monthOfKeys: `
    SELECT k.id AS api_key_id, $2 || printf('-%02d', c.day) AS day, c.units
    FROM (
      SELECT api_key, max(day) AS day, sum(units) AS units FROM charged_units
      WHERE period = $2 AND account = (SELECT number FROM accounts WHERE id = $1) AND day > 0
      GROUP BY api_key
    ) c CROSS JOIN api_keys k ON k.number = c.api_key
    WHERE k.id >= $3 AND k.id <= $4`,

  unitsOfLines: `
    SELECT coalesce(k.line, k.id) AS line, sum(c.units) AS period_units,
      sum(iif(c.day = CAST(substr($3, 9) AS INTEGER), c.units, 0)) AS day_units
    FROM accounts a CROSS JOIN charged_units c CROSS JOIN api_keys k ON k.number = c.api_key
    WHERE a.id = $1 AND c.account = a.number AND c.period = $2 AND c.day > 0
    GROUP BY 1`,

  // An account's counter is a search in each existing period. 6,200 days take 7 ms.
  statedUnits: `
    SELECT '' AS api_key_id, '' AS key_prefix, iif(period < $2, '', $2) AS day, sum(units) AS units
    FROM (
      WITH RECURSIVE periods (period) AS (
        SELECT min(period) FROM charged_units
        UNION ALL
        SELECT (SELECT min(period) FROM charged_units c WHERE c.period > periods.period)
        FROM periods WHERE period < $2
      )
      SELECT period FROM periods WHERE period <= $2
    ) CROSS JOIN accounts a CROSS JOIN charged_units c USING (period)
    WHERE a.id = $1 AND c.account = a.number AND c.day = 0 GROUP BY 3
    UNION ALL
    SELECT k.id, k.key_prefix, $2 || printf('-%02d', c.day), c.units
    FROM accounts a CROSS JOIN charged_units c CROSS JOIN api_keys k ON k.number = c.api_key
    WHERE a.id = $1 AND c.account = a.number AND c.period = $2 AND c.day > 0
    ORDER BY 1, 3`,
};
