import type { UnitStatements } from "./sql.ts";

// Reads the table of charges, not the view, which computes each row's day: the primary keys find a
// page's rows in this order. The numbers of API keys follow the order of their creation. Day 0 has
// the account's units of the period.
const DAILY_UNITS = `
  SELECT a.id AS account_id, a.email, a.deleted_at, a.plan,
    c.period || printf('-%02d', c.day) AS day, k.id AS api_key_id, k.key_prefix, c.units
  FROM accounts a CROSS JOIN charged_units c CROSS JOIN api_keys k ON k.number = c.api_key
  WHERE a.id >= $1 AND a.id <= $4 AND c.account = a.number AND c.period = substr($2, 1, 7)
    AND (c.day, c.api_key) > (
      iif(a.id = $1, CAST(substr($2, 9) AS INTEGER), 0),
      iif(a.id = $1, coalesce((SELECT number FROM api_keys WHERE id = $3), 0), 0))
    AND c.day <= CAST(substr($5, 9) AS INTEGER)
  ORDER BY a.id, c.day, c.api_key LIMIT $6`;

// As above: the primary key finds the rows of the month.
const MONTH_OF_KEYS = `
  SELECT k.id AS api_key_id, $2 || printf('-%02d', c.day) AS day, c.units
  FROM (
    SELECT api_key, max(day) AS day, sum(units) AS units FROM charged_units
    WHERE period = $2 AND account = (SELECT number FROM accounts WHERE id = $1) AND day > 0
    GROUP BY api_key
  ) c CROSS JOIN api_keys k ON k.number = c.api_key
  WHERE k.id >= $3 AND k.id <= $4`;

export const sqliteUnitStatements: UnitStatements = {
  dailyUnits: DAILY_UNITS,
  monthOfKeys: MONTH_OF_KEYS,
};
