import { NOT_REVOKED } from "./access/sql.ts";
import { ERASED_ACCOUNT, ERASED_KEY, ERASED_TABLES } from "./administration/sql.ts";
import { LIMIT_COLUMNS } from "./api-keys/rows-sql.ts";

// What a restore of the embedded database does with accounts: `main` is the database that is
// replaced, `restored` the one that replaces it.

/**
 * Figures about a database, for the reports of backups and restores. Its keys include those that
 * have ended: a backup has the same figures at every time.
 */
export const TOTALS = `
  SELECT (SELECT count(*) FROM accounts WHERE deleted_at IS NULL) AS accounts,
    (SELECT count(*) FROM api_keys WHERE ${NOT_REVOKED}) AS keys,
    (SELECT coalesce(sum(units), 0) FROM period_usage) AS units`;

/** A session that ended since the backup would be valid again. */
export const END_EVERY_SESSION = "DELETE FROM sessions";

/** So would a mailed link or an invitation that was used since. */
export const REMOVE_LINKS = `
  DELETE FROM mail_tokens;
  DELETE FROM mails WHERE token IS NOT NULL;
  DELETE FROM invitations`;

/** Revokes the keys again that were revoked since the backup. */
export const REVOKE_AGAIN = `
  UPDATE restored.api_keys SET revoked_at =
    (SELECT k.revoked_at FROM main.api_keys k WHERE k.key_hash = restored.api_keys.key_hash)
  WHERE ${NOT_REVOKED}
    AND key_hash IN (SELECT key_hash FROM main.api_keys WHERE revoked_at IS NOT NULL)`;

const LIMITS = LIMIT_COLUMNS.split(", ");

/** Keeps the ends, caps and lines of keys: what ended since the backup would be valid again. */
export const KEEP_LIMITS = `
  UPDATE restored.api_keys AS r SET ${LIMITS.map((name) => `${name} = k.${name}`).join(", ")}
  FROM main.api_keys k WHERE k.key_hash = r.key_hash
    AND (${LIMITS.map((name) => `k.${name} IS NOT r.${name}`).join(" OR ")})`;

/** Counts what the replaced database alone has. Deleted accounts, and their keys, are no loss. */
export const COUNT_LOST = `
  SELECT
    (SELECT count(*) FROM main.accounts
      WHERE id NOT IN (SELECT id FROM restored.accounts) AND deleted_at IS NULL) AS accounts,
    (SELECT count(*) FROM main.api_keys
      WHERE id NOT IN (SELECT id FROM restored.api_keys)
        AND account_id IN (SELECT id FROM main.accounts WHERE deleted_at IS NULL)) AS keys,
    (SELECT coalesce(sum(units), 0) FROM main.period_usage)
      - (SELECT coalesce(sum(units), 0) FROM restored.period_usage) AS units,
    (SELECT count(*) FROM main.accounts a JOIN restored.accounts r USING (id)
      WHERE a.password_hash <> r.password_hash AND a.deleted_at IS NULL) AS passwords,
    (SELECT count(*) FROM main.api_keys k JOIN restored.api_keys r USING (key_hash)
      JOIN main.accounts a ON a.id = k.account_id
      WHERE k.revoked_at IS NOT NULL AND r.${NOT_REVOKED} AND a.deleted_at IS NULL) AS revocations,
    (SELECT count(*) FROM main.accounts a JOIN restored.accounts r USING (id)
      WHERE a.deleted_at IS NOT NULL AND r.deleted_at IS NULL) AS deletions,
    (SELECT count(*) FROM main.accounts a JOIN restored.accounts r USING (id)
      WHERE a.deleted_at IS NULL AND (a.suspended_at IS NULL) <> (r.suspended_at IS NULL))
      AS suspensions`;

const removeOfDeleted = (table: string) => `
  DELETE FROM restored.${table} WHERE account_id IN
    (SELECT id FROM main.accounts WHERE deleted_at IS NOT NULL);`;

/** A deletion is final: it erases the same as it did. Suspended accounts stay so. */
export const KEEP_ADMINISTRATION = `
  UPDATE restored.accounts AS r
  SET email = a.email, ${ERASED_ACCOUNT}, deleted_at = a.deleted_at
  FROM main.accounts a WHERE a.id = r.id AND a.deleted_at IS NOT NULL;
  UPDATE restored.api_keys AS r
  SET key_hash = k.key_hash, ${ERASED_KEY}, revoked_at = k.revoked_at
  FROM main.api_keys k JOIN main.accounts a ON a.id = k.account_id
  WHERE k.id = r.id AND a.deleted_at IS NOT NULL;
  ${ERASED_TABLES.map(removeOfDeleted).join("")}
  UPDATE restored.accounts AS r SET suspended_at = a.suspended_at
  FROM main.accounts a WHERE a.id = r.id AND a.suspended_at IS NOT r.suspended_at`;

/** The schema of a replaced database from which on these statements on limits can run. */
export const SCHEMA_WITH_LIMITS = 26;

/** Selects the first grants that the replaced database alone has, and how many there are. */
export const LOST_GRANTS = `
  SELECT g.id, a.email, g.units, g.reference, g.expires_at, count(*) OVER () AS grants
  FROM main.unit_grants g JOIN main.accounts a ON a.id = g.account_id AND a.deleted_at IS NULL
  WHERE g.revoked_at IS NULL AND g.id NOT IN (SELECT id FROM restored.unit_grants)
  ORDER BY g.id LIMIT 1000`;

/**
 * Grants that were revoked since the backup stay so; accounts keep their own quotas and customer
 * numbers, and what is known of past periods is not lost.
 */
export const KEEP_GRANTS = `
  UPDATE restored.unit_grants AS r SET revoked_at = g.revoked_at
  FROM main.unit_grants g WHERE g.id = r.id AND r.revoked_at IS NULL;
  UPDATE restored.accounts AS r
  SET quota_units = a.quota_units, quota_until = a.quota_until, customer_number = a.customer_number
  FROM main.accounts a WHERE a.id = r.id;
  INSERT INTO restored.account_terms (account_id, through_period, plan, quota_units, quota_until)
  SELECT account_id, through_period, plan, quota_units, quota_until FROM main.account_terms
  WHERE account_id IN (SELECT id FROM restored.accounts) ON CONFLICT DO NOTHING;
  INSERT INTO restored.plan_terms (plan, through_period, units_per_period)
  SELECT plan, through_period, units_per_period FROM main.plan_terms
  WHERE TRUE ON CONFLICT DO NOTHING`;
