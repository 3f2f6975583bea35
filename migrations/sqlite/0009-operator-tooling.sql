-- A suspended account's keys and sessions are rejected until it is resumed. A deleted one keeps its
-- row, without anything personal, for the units that it was charged.
ALTER TABLE accounts ADD COLUMN suspended_at TEXT;
ALTER TABLE accounts ADD COLUMN deleted_at TEXT;
-- 0: its owner wants no mails about the quota.
ALTER TABLE accounts ADD COLUMN quota_mails INTEGER NOT NULL DEFAULT 1;

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

-- An invitation's mail has an address but no account yet. SQLite cannot make a column optional: the
-- table is made anew.
CREATE TABLE new_mails (
  id TEXT NOT NULL PRIMARY KEY,
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

INSERT INTO new_mails (id, account_id, kind, token, expires_at, created_at, attempts,
  next_attempt_at, last_error, delivered_at, given_up_at)
SELECT id, account_id, kind, token, expires_at, created_at, attempts,
  next_attempt_at, last_error, delivered_at, given_up_at FROM mails;

DROP TABLE mails;
ALTER TABLE new_mails RENAME TO mails;

CREATE INDEX mails_due ON mails (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX mails_by_account ON mails (account_id, kind);
CREATE INDEX mails_by_end ON mails (coalesce(delivered_at, given_up_at))
  WHERE next_attempt_at IS NULL;
CREATE INDEX mails_given_up ON mails (given_up_at) WHERE given_up_at IS NOT NULL;
CREATE INDEX mails_by_account_and_time ON mails (account_id, created_at);
CREATE INDEX mails_by_email ON mails (email) WHERE email IS NOT NULL;

-- The mails about the quota that were written: one for each threshold of a period.
CREATE TABLE quota_notices (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  period TEXT NOT NULL,
  -- In percent of the quota.
  threshold INTEGER NOT NULL,
  written_at TEXT NOT NULL,
  PRIMARY KEY (account_id, period, threshold)
) STRICT, WITHOUT ROWID;

-- The audit log. Rows are only added, until they are too old; the deletion of an account removes
-- what is personal from its rows. Accounts are not referenced: an invitation has none yet.
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
  details TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX events_by_account ON events (account_id, at, id);
CREATE INDEX events_by_time ON events (at, id);
