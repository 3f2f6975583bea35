-- Times are RFC 3339 texts in UTC of one length, so that they compare as they follow in time.
-- Credentials are stored as SHA-256 digests in hexadecimal alone.

CREATE TABLE plans (
  name TEXT NOT NULL PRIMARY KEY,
  units_per_period INTEGER NOT NULL CHECK (units_per_period >= 0)
) STRICT, WITHOUT ROWID;

-- The plan that every account starts on.
INSERT INTO plans (name, units_per_period) VALUES ('free', 1000);

CREATE TABLE accounts (
  id TEXT NOT NULL PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  plan TEXT NOT NULL REFERENCES plans (name),
  created_at TEXT NOT NULL,
  email_verified_at TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  token_hash TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (account_id, expires_at);

-- Clustered by the digest: a metered read finds all it needs of a key in one descent.
CREATE TABLE api_keys (
  key_hash TEXT NOT NULL PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  key_prefix TEXT NOT NULL,
  created_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_by_account ON api_keys (account_id, id);

-- Units of an account in a billing period (a month as 2026-11): what the quota is held against.
CREATE TABLE period_usage (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  period TEXT NOT NULL,
  units INTEGER NOT NULL,
  PRIMARY KEY (account_id, period)
) STRICT, WITHOUT ROWID;

-- The same units by UTC day and key.
CREATE TABLE daily_usage (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  day TEXT NOT NULL,
  api_key_id TEXT NOT NULL REFERENCES api_keys (id),
  units INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, api_key_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE rates (
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  rate TEXT NOT NULL,
  as_of TEXT NOT NULL,
  source TEXT NOT NULL,
  suspended_at TEXT,
  PRIMARY KEY (base, quote)
) STRICT, WITHOUT ROWID;

-- Windows of the abuse limiter. A scope is the digest of an address, or of one with an email.
CREATE TABLE auth_windows (
  scope TEXT NOT NULL PRIMARY KEY,
  calls INTEGER NOT NULL,
  ends_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX auth_windows_by_end ON auth_windows (ends_at);
