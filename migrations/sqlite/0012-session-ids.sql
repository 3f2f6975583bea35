-- An account sees its sessions by their ids, and where each began. An id is a UUIDv7 and does not
-- derive from the token. SQLite cannot add a column that must have a value: the table is made anew.
-- The time in the id of an older session is that of its log-in.
CREATE TABLE new_sessions (
  token_hash TEXT NOT NULL PRIMARY KEY,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  -- The client's at the log-in, of IPv6 the /64. Unknown for a session from before this column.
  address TEXT
) STRICT, WITHOUT ROWID;

INSERT INTO new_sessions (token_hash, id, account_id, created_at, expires_at)
SELECT token_hash,
  substr(ms, 1, 8) || '-' || substr(ms, 9) || '-7' || substr(random, 1, 3) || '-8' ||
    substr(random, 4, 3) || '-' || substr(random, 7, 12),
  account_id, created_at, expires_at
FROM (
  SELECT *, lower(hex(randomblob(9))) AS random,
    printf('%012x', unixepoch(created_at) * 1000 + CAST(substr(created_at, 21, 3) AS INTEGER)) AS ms
  FROM sessions
);

DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;

CREATE INDEX sessions_by_account ON sessions (account_id, expires_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);
-- The order of ids is the order of log-ins.
CREATE UNIQUE INDEX sessions_by_id ON sessions (account_id, id);
