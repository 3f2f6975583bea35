import type { UnitStatements } from "./sql.ts";

// The primary keys find the rows in this order, account by account; other months are not read. The
// inner limit ensures that: without it PostgreSQL may join whole tables.
const DAILY_UNITS = `
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
  ORDER BY a.id, u.day, u.api_key_id LIMIT $6`;

// The primary key finds the rows of the month: at most some 6,000, because an account has at most
// 100 active keys.
const MONTH_OF_KEYS = `
  SELECT api_key_id, max(day) AS day, CAST(sum(units) AS bigint) AS units FROM daily_usage
  WHERE account_id = $1 AND day >= $2 || '-01' AND day <= $2 || '-31'
    AND api_key_id >= $3 AND api_key_id <= $4
  GROUP BY api_key_id`;

export const postgresUnitStatements: UnitStatements = {
  dailyUnits: DAILY_UNITS,
  monthOfKeys: MONTH_OF_KEYS,
};
