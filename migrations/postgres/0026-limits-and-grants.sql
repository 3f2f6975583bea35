-- As on SQLite, whose file explains the tables.

ALTER TABLE api_keys
  ADD COLUMN expires_at text COLLATE "C",
  ADD COLUMN lifetime_days bigint,
  ADD COLUMN units_per_period bigint,
  ADD COLUMN units_per_day bigint,
  ADD COLUMN line text COLLATE "C",
  ADD COLUMN end_notice_days bigint;

CREATE INDEX api_keys_by_line ON api_keys (line) WHERE line IS NOT NULL;
CREATE INDEX api_keys_by_end ON api_keys (expires_at)
  WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

ALTER TABLE accounts
  ADD COLUMN quota_units bigint,
  ADD COLUMN quota_until text COLLATE "C",
  ADD COLUMN customer_number text,
  ADD COLUMN thresholds text;

CREATE TABLE account_terms (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  through_period text COLLATE "C" NOT NULL,
  plan text COLLATE "C" NOT NULL,
  quota_units bigint,
  quota_until text COLLATE "C",
  PRIMARY KEY (account_id, through_period)
);

CREATE TABLE plan_terms (
  plan text COLLATE "C" NOT NULL,
  through_period text COLLATE "C" NOT NULL,
  units_per_period bigint NOT NULL,
  PRIMARY KEY (plan, through_period)
);

CREATE TABLE unit_grants (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  units bigint NOT NULL CHECK (units > 0),
  reference text NOT NULL,
  granted_at text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C",
  revoked_at text COLLATE "C"
);

CREATE INDEX unit_grants_by_account ON unit_grants (account_id, id);

CREATE TABLE granted_usage (
  grant_id text COLLATE "C" NOT NULL REFERENCES unit_grants (id),
  period text COLLATE "C" NOT NULL,
  units bigint NOT NULL,
  PRIMARY KEY (grant_id, period)
) WITH (fillfactor = 50);

ALTER TABLE quota_notices
  ALTER COLUMN threshold TYPE text COLLATE "C" USING threshold || '%';

-- What nodes cache

DROP TRIGGER api_keys_updated_renew_epoch ON api_keys;
CREATE CONSTRAINT TRIGGER api_keys_updated_renew_epoch
  AFTER UPDATE OF key_hash, id, account_id, revoked_at, expires_at, units_per_period, units_per_day
  ON api_keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.revoked_at IS NULL OR new.revoked_at IS NULL)
  EXECUTE FUNCTION renew_read_epoch('access');

DROP TRIGGER accounts_renew_epoch ON accounts;
CREATE CONSTRAINT TRIGGER accounts_renew_epoch
  AFTER UPDATE OF id, plan, suspended_at, quota_units, quota_until OR DELETE ON accounts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION renew_read_epoch('access');

CREATE CONSTRAINT TRIGGER unit_grants_renew_epoch AFTER INSERT OR UPDATE OR DELETE ON unit_grants
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION renew_read_epoch('access');

-- A batch that holds changes back locks the epoch before the grants of its accounts. So does who
-- changes a grant: before its rows, where the others wait only at their commit.
CREATE FUNCTION lock_access_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT FROM %I.read_epochs WHERE name = ''access'' FOR UPDATE', TG_TABLE_SCHEMA);
  RETURN NULL;
END $$;

CREATE TRIGGER unit_grants_lock_epoch BEFORE UPDATE OR DELETE ON unit_grants
  FOR EACH STATEMENT EXECUTE FUNCTION lock_access_epoch();

ALTER TABLE api_keys ENABLE ALWAYS TRIGGER api_keys_updated_renew_epoch;
ALTER TABLE accounts ENABLE ALWAYS TRIGGER accounts_renew_epoch;
ALTER TABLE unit_grants ENABLE ALWAYS TRIGGER unit_grants_renew_epoch;

-- Units of the keys of a line in a billing period that has a cap: counters that a charge locks. One
-- that is missing is counted from daily_usage by the first charge.
CREATE TABLE capped_usage (
  line text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  units bigint NOT NULL,
  PRIMARY KEY (line, period)
) WITH (fillfactor = 50);

-- A batch that found the key without this cap may be charging it right now, and does not count
-- against it. So a change waits for the batches in flight and holds up new ones until its commit;
-- then they know of it, and count from daily_usage. The rows come first, then the epoch, then the
-- table: as in each transaction that takes several of these.
CREATE FUNCTION forget_capped_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT FROM %I.read_epochs WHERE name = ''access'' FOR UPDATE', TG_TABLE_SCHEMA);
  EXECUTE format('LOCK TABLE %I.period_usage IN SHARE MODE', TG_TABLE_SCHEMA);
  EXECUTE format('DELETE FROM %I.capped_usage WHERE line = $1', TG_TABLE_SCHEMA)
    USING coalesce(new.line, new.id);
  RETURN NULL;
END $$;

CREATE TRIGGER api_keys_forget_capped_usage AFTER UPDATE OF units_per_period, units_per_day
  ON api_keys FOR EACH ROW
  WHEN ((old.units_per_period, old.units_per_day) IS DISTINCT FROM
    (new.units_per_period, new.units_per_day))
  EXECUTE FUNCTION forget_capped_usage();
