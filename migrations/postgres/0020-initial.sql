-- The same tables and columns as on SQLite, whose file explains them, so that the same statements
-- serve both. Times are RFC 3339 texts in UTC of one length (timestamptz would lose the nanoseconds
-- of as_of), digests are hexadecimal. Texts compare by their bytes (COLLATE "C"): as on SQLite, and
-- fastest.

-- Accounts and their plans

CREATE TABLE plans (
  name text COLLATE "C" PRIMARY KEY,
  -- Above that, JavaScript's numbers are not exact.
  units_per_period bigint NOT NULL CHECK (units_per_period BETWEEN 0 AND 9007199254740991)
);

INSERT INTO plans (name, units_per_period) VALUES ('free', 1000);

CREATE TABLE accounts (
  id text COLLATE "C" PRIMARY KEY,
  email text COLLATE "C" NOT NULL UNIQUE,
  password_hash text NOT NULL,
  plan text COLLATE "C" NOT NULL REFERENCES plans (name),
  created_at text COLLATE "C" NOT NULL,
  email_verified_at text COLLATE "C",
  suspended_at text COLLATE "C",
  deleted_at text COLLATE "C",
  quota_mails bigint NOT NULL DEFAULT 1
);

CREATE INDEX accounts_by_plan ON accounts (plan);

CREATE TABLE invitations (
  token_hash text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  plan text COLLATE "C" NOT NULL REFERENCES plans (name),
  created_at text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL
);

CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_end ON invitations (expires_at);
CREATE INDEX invitations_by_plan ON invitations (plan);

CREATE TABLE sessions (
  token_hash text COLLATE "C" PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  created_at text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  address text NOT NULL
);

CREATE INDEX sessions_by_account ON sessions (account_id, expires_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE UNIQUE INDEX sessions_by_id ON sessions (account_id, id);

CREATE TABLE auth_windows (
  scope text COLLATE "C" PRIMARY KEY,
  calls bigint NOT NULL,
  ends_at text COLLATE "C" NOT NULL
);

CREATE INDEX auth_windows_by_end ON auth_windows (ends_at);

-- API keys

CREATE TABLE api_keys (
  key_hash text COLLATE "C" NOT NULL,
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  name text NOT NULL,
  key_prefix text NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  revoked_at text COLLATE "C"
);

-- The index holds all that a metered read wants of a key, so that it need not visit the table.
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (key_hash) INCLUDE (id, account_id, revoked_at);
CREATE INDEX api_keys_by_account ON api_keys (account_id, id);
CREATE INDEX api_keys_active ON api_keys (account_id) WHERE revoked_at IS NULL;

-- Charged units

-- Units of an account in a billing period: the row that a charge locks. Half of each page is left
-- free, so that a charge is a heap-only update: it touches no index.
CREATE TABLE period_usage (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  period text COLLATE "C" NOT NULL,
  units bigint NOT NULL,
  -- The last batch's units and quota: an INSERT ... ON CONFLICT can return only what the row holds.
  granted bigint NOT NULL DEFAULT 0,
  quota bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, period)
) WITH (fillfactor = 50);

CREATE TABLE daily_usage (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  day text COLLATE "C" NOT NULL,
  api_key_id text COLLATE "C" NOT NULL REFERENCES api_keys (id),
  units bigint NOT NULL,
  PRIMARY KEY (account_id, day, api_key_id)
) WITH (fillfactor = 50);

CREATE TABLE quota_notices (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  period text COLLATE "C" NOT NULL,
  threshold bigint NOT NULL,
  written_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, period, threshold)
);

-- Mails

CREATE TABLE mail_tokens (
  token_hash text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  purpose text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL
);

CREATE INDEX mail_tokens_by_account ON mail_tokens (account_id, purpose, expires_at);
CREATE INDEX mail_tokens_by_end ON mail_tokens (expires_at);

CREATE TABLE mails (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  email text COLLATE "C",
  kind text COLLATE "C" NOT NULL,
  token text,
  expires_at text COLLATE "C",
  details text,
  created_at text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL DEFAULT 0,
  next_attempt_at text COLLATE "C",
  last_error text,
  delivered_at text COLLATE "C",
  given_up_at text COLLATE "C"
);

CREATE INDEX mails_due ON mails (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX mails_by_account ON mails (account_id, kind);
CREATE INDEX mails_by_account_and_time ON mails (account_id, created_at);
CREATE INDEX mails_by_email ON mails (email) WHERE email IS NOT NULL;
CREATE INDEX mails_by_end ON mails (coalesce(delivered_at, given_up_at))
  WHERE next_attempt_at IS NULL;
CREATE INDEX mails_given_up ON mails (given_up_at) WHERE given_up_at IS NOT NULL;

-- The audit log

CREATE TABLE events (
  id text COLLATE "C" PRIMARY KEY,
  at text COLLATE "C" NOT NULL,
  actor text COLLATE "C" NOT NULL,
  actor_name text,
  origin text,
  action text COLLATE "C" NOT NULL,
  account_id text COLLATE "C",
  details text,
  pair text COLLATE "C"
);

CREATE INDEX events_by_account ON events (account_id, at, id);
CREATE INDEX events_by_time ON events (at, id);
CREATE INDEX events_by_pair ON events (pair, at, id) WHERE pair IS NOT NULL;

-- Sources and what they published

CREATE TABLE sources (
  source text COLLATE "C" PRIMARY KEY,
  last_success_at text COLLATE "C",
  last_error_at text COLLATE "C",
  last_error text,
  failures bigint NOT NULL DEFAULT 0,
  newest_as_of text COLLATE "C",
  next_attempt_at text COLLATE "C" NOT NULL,
  leased_until text COLLATE "C",
  validators text
);

CREATE TABLE backfilled_ranges (
  source text COLLATE "C" NOT NULL,
  first_date text COLLATE "C" NOT NULL,
  last_date text COLLATE "C" NOT NULL,
  completed_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (source, first_date, last_date)
);

CREATE TABLE documents (
  hash text COLLATE "C" PRIMARY KEY,
  content bytea NOT NULL
);

-- It is compressed already.
ALTER TABLE documents ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE publications (
  id bigint PRIMARY KEY,
  source text COLLATE "C" NOT NULL,
  received_at text COLLATE "C" NOT NULL
);

CREATE INDEX publications_by_source ON publications (source, id);

CREATE TABLE publication_documents (
  publication bigint NOT NULL REFERENCES publications (id),
  place bigint NOT NULL,
  name text NOT NULL,
  received_at text COLLATE "C" NOT NULL,
  hash text COLLATE "C",
  bytes bigint,
  PRIMARY KEY (publication, place)
);

CREATE INDEX publication_documents_by_hash ON publication_documents (hash);

-- Rates

CREATE TABLE figures (
  source text COLLATE "C" NOT NULL,
  base text COLLATE "C" NOT NULL,
  quote text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('middle', 'buying', 'selling')),
  date text COLLATE "C" NOT NULL,
  as_of text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  rate text NOT NULL,
  valid_until text COLLATE "C",
  stored_at text COLLATE "C" NOT NULL,
  publication bigint NOT NULL REFERENCES publications (id),
  place bigint,
  line bigint,
  PRIMARY KEY (base, quote, source, kind, date, as_of, revision)
);

CREATE INDEX figures_by_publication ON figures (publication);

CREATE TABLE observations (
  base text COLLATE "C" NOT NULL,
  quote text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  rate text NOT NULL,
  as_of text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  stored_at text COLLATE "C" NOT NULL,
  publication bigint NOT NULL REFERENCES publications (id),
  place bigint,
  line bigint,
  PRIMARY KEY (base, quote, sequence)
);

CREATE INDEX observations_by_publication ON observations (publication);

CREATE TABLE rates (
  base text COLLATE "C" NOT NULL,
  quote text COLLATE "C" NOT NULL,
  rate text NOT NULL,
  as_of text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  suspended_at text COLLATE "C",
  observation bigint NOT NULL DEFAULT 1,
  headers text,
  signing_key text COLLATE "C",
  PRIMARY KEY (base, quote)
);

CREATE INDEX rates_by_source ON rates (source);
CREATE INDEX rates_by_signing_key ON rates (signing_key) WHERE signing_key IS NOT NULL;

CREATE TABLE held_rates (
  base text COLLATE "C" NOT NULL,
  quote text COLLATE "C" NOT NULL,
  rate text NOT NULL,
  as_of text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  held_at text COLLATE "C" NOT NULL,
  publication bigint NOT NULL REFERENCES publications (id),
  place bigint,
  line bigint,
  PRIMARY KEY (base, quote)
);

CREATE INDEX held_rates_by_publication ON held_rates (publication);

CREATE TABLE signing_keys (
  id text COLLATE "C" PRIMARY KEY,
  public_key text NOT NULL,
  created_at text COLLATE "C" NOT NULL
);

CREATE TABLE versions (
  name text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL
);

-- The store itself

CREATE TABLE jobs (
  name text COLLATE "C" PRIMARY KEY,
  next_at text COLLATE "C" NOT NULL
);

CREATE TABLE trusted_time (
  name text COLLATE "C" PRIMARY KEY,
  at text COLLATE "C" NOT NULL
);

-- What nodes cache

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
SELECT name, floor(random() * 9007199254740992) FROM unnest(ARRAY['access', 'rates']) AS name;

-- Once per transaction: n renewals of one row cost n² (erasing an account of 10,000 keys: 4 s).
CREATE FUNCTION renew_read_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The writer's search_path may be another.
  EXECUTE format('UPDATE %I.read_epochs SET epoch = floor(random() * 9007199254740992)::bigint
    WHERE name = %L AND xmin <> pg_current_xact_id()::xid', TG_TABLE_SCHEMA, TG_ARGV[0]);
  RETURN NULL;
END $$;

-- Deferred to the commit, where the transaction waits for no further lock: so no deadlock.
--
-- An inserted key renews the epoch, too. A failover or a restored backup may lose a key that nodes
-- have cached, and must not bring back the epoch under which they cached it. Inserted accounts and
-- plans need no renewal: nodes cache them only with a key that was inserted or changed later.
CREATE CONSTRAINT TRIGGER api_keys_inserted_renew_epoch AFTER INSERT ON api_keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.revoked_at IS NULL)
  EXECUTE FUNCTION renew_read_epoch('access');

-- Keys that are revoked before and after a change are in no cache.
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

CREATE CONSTRAINT TRIGGER accounts_renew_epoch
  AFTER UPDATE OF id, plan, suspended_at OR DELETE ON accounts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION renew_read_epoch('access');

CREATE CONSTRAINT TRIGGER plans_renew_epoch AFTER UPDATE OR DELETE ON plans
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION renew_read_epoch('access');

-- Once per statement: an import stores 500 rates with each. Its writers hold an advisory lock.
CREATE TRIGGER rates_renew_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON rates
  FOR EACH STATEMENT EXECUTE FUNCTION renew_read_epoch('rates');

-- Also where session_replication_role is replica.
ALTER TABLE api_keys
  ENABLE ALWAYS TRIGGER api_keys_inserted_renew_epoch,
  ENABLE ALWAYS TRIGGER api_keys_updated_renew_epoch,
  ENABLE ALWAYS TRIGGER api_keys_deleted_renew_epoch,
  ENABLE ALWAYS TRIGGER api_keys_truncated_renew_epoch;
ALTER TABLE accounts ENABLE ALWAYS TRIGGER accounts_renew_epoch;
ALTER TABLE plans ENABLE ALWAYS TRIGGER plans_renew_epoch;
ALTER TABLE rates ENABLE ALWAYS TRIGGER rates_renew_epoch;
