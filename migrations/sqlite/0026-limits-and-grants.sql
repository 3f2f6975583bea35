-- Ends and caps of API keys, units granted beside the plan's, a quota of one account alone, and
-- each account's own thresholds.

-- From expires_at on, a key is rejected as a revoked one is. lifetime_days: it was told as days
-- from the creation; the key that a rotation makes then gets as many.
ALTER TABLE api_keys ADD COLUMN expires_at TEXT;
ALTER TABLE api_keys ADD COLUMN lifetime_days INTEGER;
-- The most units of a billing period and of a UTC day; every key of a line has the same.
ALTER TABLE api_keys ADD COLUMN units_per_period INTEGER;
ALTER TABLE api_keys ADD COLUMN units_per_day INTEGER;
-- The key that the first rotation of its line replaced; null on that key and without rotations.
-- The units of all keys of a line count against its caps.
ALTER TABLE api_keys ADD COLUMN line TEXT;
-- The last mail about the end that was written, in days before it.
ALTER TABLE api_keys ADD COLUMN end_notice_days INTEGER;

CREATE INDEX api_keys_by_line ON api_keys (line) WHERE line IS NOT NULL;
CREATE INDEX api_keys_by_end ON api_keys (expires_at)
  WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

DROP TRIGGER insert_usable_key;
DROP TRIGGER change_usable_key;
DROP TRIGGER change_usable_keys;

ALTER TABLE usable_keys ADD COLUMN expires_at TEXT;
ALTER TABLE usable_keys ADD COLUMN units_per_period INTEGER;
ALTER TABLE usable_keys ADD COLUMN units_per_day INTEGER;

CREATE TRIGGER insert_usable_key AFTER INSERT ON api_keys WHEN new.revoked_at IS NULL BEGIN
  INSERT INTO usable_keys (digest, api_key, account, plan, expires_at, units_per_period, units_per_day)
  SELECT unhex(new.key_hash), new.number, number, plan, new.expires_at, new.units_per_period,
    new.units_per_day
  FROM accounts WHERE id = new.account_id AND suspended_at IS NULL;
END;

CREATE TRIGGER change_usable_key
AFTER UPDATE OF number, key_hash, revoked_at, expires_at, units_per_period, units_per_day ON api_keys
BEGIN
  DELETE FROM usable_keys WHERE digest = unhex(old.key_hash);
  INSERT INTO usable_keys (digest, api_key, account, plan, expires_at, units_per_period, units_per_day)
  SELECT unhex(new.key_hash), new.number, number, plan, new.expires_at, new.units_per_period,
    new.units_per_day
  FROM accounts WHERE id = new.account_id AND new.revoked_at IS NULL AND suspended_at IS NULL;
END;

CREATE TRIGGER change_usable_keys AFTER UPDATE OF plan, suspended_at ON accounts
WHEN new.plan <> old.plan OR new.suspended_at IS NOT old.suspended_at BEGIN
  DELETE FROM usable_keys WHERE digest IN
    (SELECT unhex(key_hash) FROM api_keys WHERE account_id = new.id AND revoked_at IS NULL);
  INSERT INTO usable_keys (digest, api_key, account, plan, expires_at, units_per_period, units_per_day)
  SELECT unhex(key_hash), number, new.number, new.plan, expires_at, units_per_period, units_per_day
  FROM api_keys WHERE account_id = new.id AND revoked_at IS NULL AND new.suspended_at IS NULL;
END;

-- A quota of this account alone, instead of its plan's; null quota_until: without an end.
ALTER TABLE accounts ADD COLUMN quota_units INTEGER;
ALTER TABLE accounts ADD COLUMN quota_until TEXT;
-- The account's name in the operator's books.
ALTER TABLE accounts ADD COLUMN customer_number TEXT;
-- The account's own thresholds as JSON; null: 80 and 100 % of its quota.
ALTER TABLE accounts ADD COLUMN thresholds TEXT;

-- What an account and a plan were before their first change in a period: as they were at the end of
-- through_period, and of those before it back to an earlier row.
CREATE TABLE account_terms (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  through_period TEXT NOT NULL,
  plan TEXT NOT NULL,
  quota_units INTEGER,
  quota_until TEXT,
  PRIMARY KEY (account_id, through_period)
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_terms (
  plan TEXT NOT NULL,
  through_period TEXT NOT NULL,
  units_per_period INTEGER NOT NULL,
  PRIMARY KEY (plan, through_period)
) STRICT, WITHOUT ROWID;

-- Units that an account got beside its plan's, used once those of the period are used up.
CREATE TABLE unit_grants (
  id TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  units INTEGER NOT NULL CHECK (units > 0),
  -- What the operator's books call it, such as an invoice.
  reference TEXT NOT NULL,
  granted_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX unit_grants_by_account ON unit_grants (account_id, id);

CREATE TABLE granted_usage (
  grant_id TEXT NOT NULL REFERENCES unit_grants (id),
  period TEXT NOT NULL,
  units INTEGER NOT NULL,
  PRIMARY KEY (grant_id, period)
) STRICT, WITHOUT ROWID;

-- A threshold is now a text: 80% of the quota, 500 units, or either of a key after its id.
CREATE TABLE notices (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  period TEXT NOT NULL,
  threshold TEXT NOT NULL,
  written_at TEXT NOT NULL,
  PRIMARY KEY (account_id, period, threshold)
) STRICT, WITHOUT ROWID;

INSERT INTO notices SELECT account_id, period, threshold || '%', written_at FROM quota_notices;
DROP TABLE quota_notices;
ALTER TABLE notices RENAME TO quota_notices;
