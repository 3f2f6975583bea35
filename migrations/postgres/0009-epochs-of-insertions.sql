-- An inserted key renews the epoch, too. A failover or a restored backup may lose a key that nodes
-- have cached, and must not bring back the epoch under which they cached it. Inserted accounts and
-- plans need no renewal: nodes cache them only with a key that was inserted or changed later.
--
-- Once per transaction: n renewals of one row cost n² (erasing an account of 10,000 keys: 4 s).
CREATE OR REPLACE FUNCTION renew_read_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The writer's search_path may be another.
  EXECUTE format('UPDATE %I.read_epochs SET epoch = floor(random() * 9007199254740992)::bigint
    WHERE name = %L AND xmin <> pg_current_xact_id()::xid', TG_TABLE_SCHEMA, TG_ARGV[0]);
  RETURN NULL;
END $$;

-- Keys that are revoked before and after a change are in no cache.
DROP TRIGGER api_keys_renew_epoch ON api_keys;

CREATE CONSTRAINT TRIGGER api_keys_inserted_renew_epoch AFTER INSERT ON api_keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.revoked_at IS NULL)
  EXECUTE FUNCTION renew_read_epoch('access');

CREATE CONSTRAINT TRIGGER api_keys_updated_renew_epoch
  AFTER UPDATE OF key_hash, id, account_id, revoked_at ON api_keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.revoked_at IS NULL OR new.revoked_at IS NULL)
  EXECUTE FUNCTION renew_read_epoch('access');

CREATE CONSTRAINT TRIGGER api_keys_deleted_renew_epoch AFTER DELETE ON api_keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.revoked_at IS NULL)
  EXECUTE FUNCTION renew_read_epoch('access');

-- A truncation of accounts or plans empties this table, too.
CREATE TRIGGER api_keys_truncated_renew_epoch AFTER TRUNCATE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION renew_read_epoch('access');

-- Also where session_replication_role is replica.
ALTER TABLE api_keys
  ENABLE ALWAYS TRIGGER api_keys_inserted_renew_epoch,
  ENABLE ALWAYS TRIGGER api_keys_updated_renew_epoch,
  ENABLE ALWAYS TRIGGER api_keys_deleted_renew_epoch,
  ENABLE ALWAYS TRIGGER api_keys_truncated_renew_epoch;
