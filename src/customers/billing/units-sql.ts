import type { UnitStatements } from "./sql.ts";

export const postgresUnitStatements: UnitStatements = {
  // The primary keys find the rows in this order, account by account; other months are not read.
  // The inner limit ensures that: without it PostgreSQL may join whole tables.
  dailyUnits: `
    SELECT a.id AS account_id, a.email, a.deleted_at, a.plan, u.day, u.api_key_id,
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
};

export const sqliteUnitStatements: UnitStatements = {
  // Reads the table of charges, not the view, which computes each row's day: the primary keys find
  // a page's rows in this order. The numbers of API keys follow the order of their creation. Day 0
  // has the account's units of the period.
  dailyUnits: `
    SELECT a.id AS account_id, a.email, a.deleted_at, a.plan,
      c.period || printf('-%02d', c.day) AS day, k.id AS api_key_id, k.key_prefix, c.units
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
};
