-- Times are RFC 3339 texts in UTC of one length, so that they compare as they follow in time.
-- Credentials are stored as SHA-256 digests in hexadecimal alone.

-- Accounts and their plans

CREATE TABLE plans (
  name TEXT NOT NULL PRIMARY KEY,
  units_per_period INTEGER NOT NULL CHECK (units_per_period >= 0)
) STRICT, WITHOUT ROWID;

-- The plan that every account starts on.
INSERT INTO plans (name, units_per_period) VALUES ('free', 1000);

-- A suspended account's keys and sessions are rejected until it is resumed. A deleted one keeps its
-- row, without anything personal, for the units that it was charged.
CREATE TABLE accounts (
  -- Names the account in the tables that metered reads use, and nowhere outside.
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  plan TEXT NOT NULL REFERENCES plans (name),
  created_at TEXT NOT NULL,
  email_verified_at TEXT,
  suspended_at TEXT,
  deleted_at TEXT,
  -- 0: its owner wants no mails about the quota.
  quota_mails INTEGER NOT NULL DEFAULT 1
) STRICT;

-- The plans in use are found from one to the next, without a look at every account.
CREATE INDEX accounts_by_plan ON accounts (plan);

-- Invitations to register. The account gets the id that the invitation's events already name.
CREATE TABLE invitations (
  token_hash TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL,
  email TEXT NOT NULL,
  plan TEXT NOT NULL REFERENCES plans (name),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_end ON invitations (expires_at);
CREATE INDEX invitations_by_plan ON invitations (plan);

-- An account sees its sessions by their ids, and where each began.
CREATE TABLE sessions (
  token_hash TEXT NOT NULL PRIMARY KEY,
  -- A UUIDv7, which does not derive from the token.
  id TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  -- The client's at the log-in, of IPv6 the /64.
  address TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (account_id, expires_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);
-- The order of ids is the order of log-ins.
CREATE UNIQUE INDEX sessions_by_id ON sessions (account_id, id);

-- Windows of the abuse limiter. A scope is the digest of an address, or of one with an email.
CREATE TABLE auth_windows (
  scope TEXT NOT NULL PRIMARY KEY,
  calls INTEGER NOT NULL,
  ends_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX auth_windows_by_end ON auth_windows (ends_at);

-- API keys

CREATE TABLE api_keys (
  -- As of accounts; the order of numbers is the order of creation.
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key_hash TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  key_prefix TEXT NOT NULL,
  created_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT;

CREATE INDEX api_keys_by_account ON api_keys (account_id, id);
-- Active keys are counted at each creation, however many revoked ones an account has.
CREATE INDEX api_keys_active ON api_keys (account_id) WHERE revoked_at IS NULL;

-- What a metered read needs of a key and its account, in rows of some 50 bytes instead of 200 and
-- 250: with a million accounts, a page of these serves four times as many keys. Only keys that may
-- read are in it: those of suspended accounts and revoked ones are not. Triggers alone write it.
CREATE TABLE usable_keys (
  -- SHA-256 of the key: the bytes of its key_hash.
  digest BLOB NOT NULL PRIMARY KEY,
  -- The key's number and its account's.
  api_key INTEGER NOT NULL,
  account INTEGER NOT NULL,
  plan TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER insert_usable_key AFTER INSERT ON api_keys WHEN new.revoked_at IS NULL BEGIN
  INSERT INTO usable_keys (digest, api_key, account, plan)
  SELECT unhex(new.key_hash), new.number, number, plan FROM accounts
  WHERE id = new.account_id AND suspended_at IS NULL;
END;

CREATE TRIGGER change_usable_key AFTER UPDATE OF number, key_hash, revoked_at ON api_keys BEGIN
  DELETE FROM usable_keys WHERE digest = unhex(old.key_hash);
  INSERT INTO usable_keys (digest, api_key, account, plan)
  SELECT unhex(new.key_hash), new.number, number, plan FROM accounts
  WHERE id = new.account_id AND new.revoked_at IS NULL AND suspended_at IS NULL;
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

-- Charged units

-- One table of small rows: a sync writes the pages that a batch has changed, so what a read costs
-- hangs on how many rows of those that are charged now share a page. Numbers stand for accounts and
-- keys, whose ids take 36 bytes. The key's order keeps together what is charged together: an
-- account's units of the period beside those of the day, and the present period's rows apart from
-- all that went before.
CREATE TABLE charged_units (
  -- A month as 2026-11.
  period TEXT NOT NULL,
  account INTEGER NOT NULL REFERENCES accounts (number),
  -- Of the month. 0: the account's units of the whole period, which the quota is held against.
  day INTEGER NOT NULL,
  -- 0 beside day 0; else the key whose units of that UTC day these are.
  api_key INTEGER NOT NULL,
  units INTEGER NOT NULL,
  PRIMARY KEY (period, account, day, api_key)
) STRICT, WITHOUT ROWID;

-- Both counts as they are told, and as the other engine stores them.
CREATE VIEW period_usage (account_id, period, units) AS
SELECT a.id, c.period, c.units
FROM accounts a JOIN charged_units c ON c.account = a.number
WHERE c.day = 0;

-- The periods that there are, each found from the one before by the key: an account's days are then
-- a search in each, where the table has no order by account.
CREATE VIEW daily_usage (account_id, day, api_key_id, units) AS
WITH RECURSIVE periods (period) AS (
  SELECT min(period) FROM charged_units
  UNION ALL
  SELECT (SELECT min(period) FROM charged_units c WHERE c.period > periods.period) FROM periods
  WHERE period IS NOT NULL
)
SELECT a.id, c.period || printf('-%02d', c.day), k.id, c.units
FROM periods
CROSS JOIN accounts a
CROSS JOIN charged_units c ON c.period = periods.period AND c.account = a.number
CROSS JOIN api_keys k ON k.number = c.api_key
WHERE c.day > 0;

-- The mails about the quota that were written: one for each threshold of a period.
CREATE TABLE quota_notices (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  period TEXT NOT NULL,
  -- In percent of the quota.
  threshold INTEGER NOT NULL,
  written_at TEXT NOT NULL,
  PRIMARY KEY (account_id, period, threshold)
) STRICT, WITHOUT ROWID;

-- Mails

-- What a mail's link is worth. Several tokens of one account and purpose are valid at once, so that
-- a further request does not void the link that was just mailed. A token that is spent is gone.
CREATE TABLE mail_tokens (
  token_hash TEXT NOT NULL PRIMARY KEY,
  -- Checked at the commit: for an address without an account the same rows are written, and deleted
  -- in the same transaction, so that its duration does not tell.
  account_id TEXT NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  purpose TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX mail_tokens_by_account ON mail_tokens (account_id, purpose, expires_at);
CREATE INDEX mail_tokens_by_end ON mail_tokens (expires_at);

-- The outbox: every mail that is to be delivered, and for some time those that were.
CREATE TABLE mails (
  id TEXT NOT NULL PRIMARY KEY,
  -- An invitation's mail has an address but no account yet. Checked as a token's.
  account_id TEXT REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  -- The recipient where there is no account.
  email TEXT,
  kind TEXT NOT NULL,
  -- The link's secret: only until the mail is delivered or given up.
  token TEXT,
  -- Until when the link works.
  expires_at TEXT,
  -- The figures in a mail about the quota, as JSON.
  details TEXT,
  created_at TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- While a node delivers it, this is when another may try; none: it is delivered or given up.
  next_attempt_at TEXT,
  last_error TEXT,
  delivered_at TEXT,
  given_up_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX mails_due ON mails (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX mails_by_account ON mails (account_id, kind);
-- Mails to one address are counted within the last hour, by these rows alone.
CREATE INDEX mails_by_account_and_time ON mails (account_id, created_at);
CREATE INDEX mails_by_email ON mails (email) WHERE email IS NOT NULL;
CREATE INDEX mails_by_end ON mails (coalesce(delivered_at, given_up_at))
  WHERE next_attempt_at IS NULL;
-- The mails that were given up are counted while the service runs: by these rows alone.
CREATE INDEX mails_given_up ON mails (given_up_at) WHERE given_up_at IS NOT NULL;

-- The audit log

-- Rows are only added, until they are too old; the deletion of an account removes what is personal
-- from its rows. Accounts are not referenced: an invitation has none yet.
CREATE TABLE events (
  id TEXT NOT NULL PRIMARY KEY,
  at TEXT NOT NULL,
  -- Who acted: account, operator or service.
  actor TEXT NOT NULL,
  -- The operator's user name.
  actor_name TEXT,
  -- From where: a client's address (of IPv6 the /64), or the operator's machine.
  origin TEXT,
  action TEXT NOT NULL,
  account_id TEXT,
  -- What the action was about, as JSON.
  details TEXT,
  -- The events of a pair belong to its history, and are kept as long.
  pair TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX events_by_account ON events (account_id, at, id);
CREATE INDEX events_by_time ON events (at, id);
CREATE INDEX events_by_pair ON events (pair, at, id) WHERE pair IS NOT NULL;

-- Sources and what they published

-- What is known of each publisher's source: how its last fetches went, and who fetches it now.
CREATE TABLE sources (
  source TEXT NOT NULL PRIMARY KEY,
  last_success_at TEXT,
  -- The last fetch that did not succeed, and why.
  last_error_at TEXT,
  last_error TEXT,
  -- Failures since the last success.
  failures INTEGER NOT NULL DEFAULT 0,
  -- The newest as_of that the publisher has given out, whoever owns its pairs.
  newest_as_of TEXT,
  next_attempt_at TEXT NOT NULL,
  -- One node fetches a source at a time: until then it is that node's.
  leased_until TEXT,
  -- ETag and Last-Modified of each address, as JSON.
  validators TEXT
) STRICT, WITHOUT ROWID;

-- How far the unfinished backfills have come: the dates whose figures were stored. A backfill that
-- finishes removes its rows.
CREATE TABLE backfilled_ranges (
  source TEXT NOT NULL,
  first_date TEXT NOT NULL,
  last_date TEXT NOT NULL,
  completed_at TEXT NOT NULL,
  PRIMARY KEY (source, first_date, last_date)
) STRICT, WITHOUT ROWID;

-- The bytes of the documents that rates came from, once for each content.
CREATE TABLE documents (
  -- SHA-256 of the content before its compression.
  hash TEXT NOT NULL PRIMARY KEY,
  -- Compressed with zstd.
  content BLOB NOT NULL
) STRICT;

-- What one fetch, one import or the bundled snapshot brought.
CREATE TABLE publications (
  id INTEGER NOT NULL PRIMARY KEY,
  -- A publisher's key, import or snapshot.
  source TEXT NOT NULL,
  received_at TEXT NOT NULL
) STRICT;

CREATE INDEX publications_by_source ON publications (source, id);

CREATE TABLE publication_documents (
  publication INTEGER NOT NULL REFERENCES publications (id),
  -- From 0, in the order of the publisher's addresses.
  place INTEGER NOT NULL,
  -- The address, or the name of the file.
  name TEXT NOT NULL,
  -- By the publisher's clock, if its response stated it.
  received_at TEXT NOT NULL,
  -- Unknown until an import has read its file. Imported files are not among the documents.
  hash TEXT,
  bytes INTEGER,
  PRIMARY KEY (publication, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX publication_documents_by_hash ON publication_documents (hash);

-- Rates

-- Every figure of every publisher, by the publisher's own dates, whoever owns the pair. What is or
-- was served of a pair is in rates and observations. With row ids, the second index is small:
-- without them an import took a fifth longer.
CREATE TABLE figures (
  source TEXT NOT NULL,
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('middle', 'buying', 'selling')),
  -- The publisher's own date, such as 2026-03-13.
  date TEXT NOT NULL,
  as_of TEXT NOT NULL,
  -- From 1: a publisher may amend what it has published. The last one counts.
  revision INTEGER NOT NULL,
  rate TEXT NOT NULL,
  -- The last date of its validity, for a table that is valid for a period.
  valid_until TEXT,
  stored_at TEXT NOT NULL,
  publication INTEGER NOT NULL REFERENCES publications (id),
  -- The publication's document that states the rate.
  place INTEGER,
  -- The line of an imported file.
  line INTEGER,
  PRIMARY KEY (base, quote, source, kind, date, as_of, revision)
) STRICT;

CREATE INDEX figures_by_publication ON figures (publication);

-- Every rate that was accepted, in order. The last one of a pair is the one that is served.
CREATE TABLE observations (
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  -- From 1 for each pair.
  sequence INTEGER NOT NULL,
  rate TEXT NOT NULL,
  as_of TEXT NOT NULL,
  source TEXT NOT NULL,
  stored_at TEXT NOT NULL,
  publication INTEGER NOT NULL REFERENCES publications (id),
  place INTEGER,
  line INTEGER,
  PRIMARY KEY (base, quote, sequence)
) STRICT, WITHOUT ROWID;

CREATE INDEX observations_by_publication ON observations (publication);

-- What is served.
CREATE TABLE rates (
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  rate TEXT NOT NULL,
  as_of TEXT NOT NULL,
  source TEXT NOT NULL,
  suspended_at TEXT,
  -- The sequence of its observation.
  observation INTEGER NOT NULL DEFAULT 1,
  -- The headers of its responses, as JSON: alternating names and values. A restore removes them,
  -- and the next start writes them.
  headers TEXT,
  -- The id of the key that signed them.
  signing_key TEXT,
  PRIMARY KEY (base, quote)
) STRICT, WITHOUT ROWID;

CREATE INDEX rates_by_source ON rates (source);
CREATE INDEX rates_by_signing_key ON rates (signing_key) WHERE signing_key IS NOT NULL;

-- Rates that jumped too far from the stored one: not served, kept for the operator to judge.
CREATE TABLE held_rates (
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  rate TEXT NOT NULL,
  as_of TEXT NOT NULL,
  source TEXT NOT NULL,
  held_at TEXT NOT NULL,
  publication INTEGER NOT NULL REFERENCES publications (id),
  place INTEGER,
  line INTEGER,
  PRIMARY KEY (base, quote)
) STRICT, WITHOUT ROWID;

CREATE INDEX held_rates_by_publication ON held_rates (publication);

-- The public keys of every node that signs rates.
CREATE TABLE signing_keys (
  -- Its thumbprint (RFC 7638).
  id TEXT NOT NULL PRIMARY KEY,
  -- Ed25519, 32 bytes in base64url.
  public_key TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Counts the transactions that changed something of a kind, so that a copy proves that it is new.
CREATE TABLE versions (
  name TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The store itself

-- What one node does for all, and when it is to be done next.
CREATE TABLE jobs (
  name TEXT NOT NULL PRIMARY KEY,
  next_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The newest time that a cleanup trusted. Nothing is removed by its age while the clock is more
-- than a day ahead of it.
CREATE TABLE trusted_time (
  name TEXT NOT NULL PRIMARY KEY,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Tells this database from others whose backups are in the same directory. A backup has its
-- database's, and so has a database that is restored from it.
CREATE TABLE database_id (id TEXT NOT NULL) STRICT;

INSERT INTO database_id (id) VALUES (lower(hex(randomblob(16))));
