-- What a metered read needs of a key and its account, in rows of some 50 bytes instead of 200 and 250:
-- with a million accounts, a page of these serves four times as many keys. Only keys that may read
-- are in it: those of suspended accounts and revoked ones are not. Triggers alone write it.
CREATE TABLE usable_keys (
  -- SHA-256 of the key: the bytes of its key_hash.
  digest BLOB NOT NULL PRIMARY KEY,
  -- The key's number and its account's.
  api_key INTEGER NOT NULL,
  account INTEGER NOT NULL,
  plan TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO usable_keys (digest, api_key, account, plan)
SELECT unhex(k.key_hash), k.number, a.number, a.plan
FROM api_keys k JOIN accounts a ON a.id = k.account_id
WHERE k.revoked_at IS NULL AND a.suspended_at IS NULL
ORDER BY k.key_hash;

-- A new key gets its number by an update (0006-charged-units.sql).
CREATE TRIGGER change_usable_key AFTER UPDATE OF number, key_hash, revoked_at ON api_keys BEGIN
  DELETE FROM usable_keys WHERE digest = unhex(old.key_hash);
  INSERT INTO usable_keys (digest, api_key, account, plan)
  SELECT unhex(new.key_hash), new.number, a.number, a.plan FROM accounts a
  WHERE a.id = new.account_id AND new.revoked_at IS NULL AND a.suspended_at IS NULL;
END;

CREATE TRIGGER delete_usable_key AFTER DELETE ON api_keys BEGIN
  DELETE FROM usable_keys WHERE digest = unhex(old.key_hash);
END;

CREATE TRIGGER change_usable_keys AFTER UPDATE OF plan, suspended_at ON accounts
WHEN new.plan <> old.plan OR new.suspended_at IS NOT old.suspended_at BEGIN
  DELETE FROM usable_keys WHERE digest IN
    (SELECT unhex(key_hash) FROM api_keys WHERE account_id = new.id AND revoked_at IS NULL);
  INSERT INTO usable_keys (digest, api_key, account, plan)
  SELECT unhex(key_hash), number, new.number, new.plan FROM api_keys
  WHERE account_id = new.id AND revoked_at IS NULL AND new.suspended_at IS NULL;
END;
