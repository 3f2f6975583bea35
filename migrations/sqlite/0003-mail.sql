-- What a mail's link is worth: at most one token an account and purpose, so that a newer one voids
-- the older by taking its place. A token that is spent is gone.
-- Both references wait for the commit: for an address without an account the same rows are
-- written and taken back in one transaction (src/adapters/storage/mail-tokens.ts).
CREATE TABLE mail_tokens (
  account_id TEXT NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  purpose TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (account_id, purpose)
) STRICT, WITHOUT ROWID;

-- The outbox: every mail that is to be delivered, and for some time those that were.
CREATE TABLE mails (
  id TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  kind TEXT NOT NULL,
  -- The link's secret: only until the mail is delivered or given up.
  token TEXT,
  -- Until when the link works.
  expires_at TEXT,
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
