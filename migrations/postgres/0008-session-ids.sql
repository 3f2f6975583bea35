-- An account sees its sessions by their ids, and where each began. An id is a UUIDv7 and does not
-- derive from the token. Nodes of the version before store sessions without one: hence the default.
ALTER TABLE sessions
  ADD COLUMN id text COLLATE "C" NOT NULL DEFAULT
    regexp_replace(
      lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0'),
      '(.{8})(.{4})', '\1-\2-7') || substr(gen_random_uuid()::text, 16),
  -- The client's at the log-in, of IPv6 the /64. Unknown for a session from before this column.
  ADD COLUMN address text;

-- The time in the id of an older session is that of its log-in.
UPDATE sessions SET id =
  regexp_replace(
    lpad(to_hex((extract(epoch FROM created_at::timestamptz) * 1000)::bigint), 12, '0'),
    '(.{8})(.{4})', '\1-\2-7') || substr(id, 16);

-- The order of ids is the order of log-ins.
CREATE UNIQUE INDEX sessions_by_id ON sessions (account_id, id);
