-- The same tables as on SQLite, so that the same statements serve both. Times are RFC 3339 texts in
-- UTC of one length (timestamptz would lose the nanoseconds of as_of), digests are hexadecimal.
-- Texts compare by their bytes (COLLATE "C"): as on SQLite, and fastest.

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
  email_verified_at text COLLATE "C"
);

CREATE TABLE sessions (
  token_hash text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  created_at text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL
);

CREATE INDEX sessions_by_account ON sessions (account_id, expires_at);

-- The index holds all that a metered read wants of a key, so that it need not visit the table.
CREATE TABLE api_keys (
  key_hash text COLLATE "C" NOT NULL,
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  name text NOT NULL,
  key_prefix text NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  revoked_at text COLLATE "C"
);

CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (key_hash) INCLUDE (id, account_id, revoked_at);

CREATE INDEX api_keys_by_account ON api_keys (account_id, id);

-- Units of an account in a billing period: the row that a charge locks. Half of each page is left
-- free, so that a charge is a heap-only update: it touches no index.
CREATE TABLE period_usage (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  period text COLLATE "C" NOT NULL,
  units bigint NOT NULL,
  PRIMARY KEY (account_id, period)
) WITH (fillfactor = 50);

CREATE TABLE daily_usage (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  day text COLLATE "C" NOT NULL,
  api_key_id text COLLATE "C" NOT NULL REFERENCES api_keys (id),
  units bigint NOT NULL,
  PRIMARY KEY (account_id, day, api_key_id)
) WITH (fillfactor = 50);

CREATE TABLE rates (
  base text COLLATE "C" NOT NULL,
  quote text COLLATE "C" NOT NULL,
  rate text NOT NULL,
  as_of text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  suspended_at text COLLATE "C",
  PRIMARY KEY (base, quote)
);

CREATE INDEX rates_by_source ON rates (source);

CREATE TABLE held_rates (
  base text COLLATE "C" NOT NULL,
  quote text COLLATE "C" NOT NULL,
  rate text NOT NULL,
  as_of text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  held_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (base, quote)
);

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

CREATE TABLE auth_windows (
  scope text COLLATE "C" PRIMARY KEY,
  calls bigint NOT NULL,
  ends_at text COLLATE "C" NOT NULL
);

CREATE INDEX auth_windows_by_end ON auth_windows (ends_at);

-- Both references wait for the commit: for an address without an account the same rows are
-- written and taken back in one transaction (src/adapters/storage/mail-tokens.ts).
CREATE TABLE mail_tokens (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  purpose text COLLATE "C" NOT NULL,
  token_hash text COLLATE "C" NOT NULL UNIQUE,
  expires_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, purpose)
);

CREATE TABLE mails (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  kind text COLLATE "C" NOT NULL,
  token text,
  expires_at text COLLATE "C",
  created_at text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL DEFAULT 0,
  next_attempt_at text COLLATE "C",
  last_error text,
  delivered_at text COLLATE "C",
  given_up_at text COLLATE "C"
);

CREATE INDEX mails_due ON mails (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

CREATE INDEX mails_by_account ON mails (account_id, kind);

-- What one node does for all, and when it is to be done next.
CREATE TABLE duties (
  name text COLLATE "C" PRIMARY KEY,
  next_at text COLLATE "C" NOT NULL
);

-- What has expired is found by its end.
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE INDEX mail_tokens_by_end ON mail_tokens (expires_at);

CREATE INDEX mails_by_end ON mails (coalesce(delivered_at, given_up_at))
  WHERE next_attempt_at IS NULL;
