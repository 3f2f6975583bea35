-- Nodes cache keys with their accounts' quotas, and rates. Every change of these renews an epoch in
-- the transaction that makes it, and each batch of reads compares the epochs with its caches'. An
-- epoch is random, not counted: a failover that loses transactions, or a restored backup, would
-- give a number to a second state.
CREATE TABLE read_epochs (
  name text COLLATE "C" PRIMARY KEY,
  epoch bigint NOT NULL
);

-- Below 2^53: JavaScript's numbers are exact up to there.
INSERT INTO read_epochs (name, epoch)
SELECT name, floor(random() * 9007199254740992)::bigint FROM (VALUES ('access'), ('rates')) AS of (name);

CREATE FUNCTION renew_read_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The writer's search_path may be another.
  EXECUTE format('UPDATE %I.read_epochs SET epoch = floor(random() * 9007199254740992)::bigint
    WHERE name = %L', TG_TABLE_SCHEMA, TG_ARGV[0]);
  RETURN NULL;
END $$;

-- Deferred to the commit, where the transaction waits for no further lock: so no deadlock. Inserted
-- rows need no epoch, because missing ones are not cached.
CREATE CONSTRAINT TRIGGER api_keys_renew_epoch
  AFTER UPDATE OF key_hash, id, account_id, revoked_at OR DELETE ON api_keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION renew_read_epoch('access');

CREATE CONSTRAINT TRIGGER accounts_renew_epoch
  AFTER UPDATE OF id, plan, suspended_at OR DELETE ON accounts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION renew_read_epoch('access');

CREATE CONSTRAINT TRIGGER plans_renew_epoch AFTER UPDATE OR DELETE ON plans
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION renew_read_epoch('access');

-- Once per statement: an import stores 500 rates with each. Its writers take an advisory lock first.
CREATE TRIGGER rates_renew_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON rates
  FOR EACH STATEMENT EXECUTE FUNCTION renew_read_epoch('rates');

-- Also where session_replication_role is replica.
ALTER TABLE api_keys ENABLE ALWAYS TRIGGER api_keys_renew_epoch;
ALTER TABLE accounts ENABLE ALWAYS TRIGGER accounts_renew_epoch;
ALTER TABLE plans ENABLE ALWAYS TRIGGER plans_renew_epoch;
ALTER TABLE rates ENABLE ALWAYS TRIGGER rates_renew_epoch;

-- The last batch's units and quota: an INSERT ... ON CONFLICT can return only what the row holds.
ALTER TABLE period_usage
  ADD COLUMN granted bigint NOT NULL DEFAULT 0,
  ADD COLUMN quota bigint NOT NULL DEFAULT 0;
