-- Several tokens of one account and purpose are valid at once, so that a newer request does not void
-- the link that was just mailed. SQLite cannot change a primary key: the table is made anew.
CREATE TABLE mail_tokens_by_hash (
  token_hash TEXT NOT NULL PRIMARY KEY,
  -- Checked at the commit: for an address without an account the same rows are written and taken
  -- back in one transaction (src/adapters/storage/mail-tokens.ts).
  account_id TEXT NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  purpose TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO mail_tokens_by_hash (token_hash, account_id, purpose, expires_at)
SELECT token_hash, account_id, purpose, expires_at FROM mail_tokens;

DROP TABLE mail_tokens;
ALTER TABLE mail_tokens_by_hash RENAME TO mail_tokens;

CREATE INDEX mail_tokens_by_account ON mail_tokens (account_id, purpose, expires_at);
CREATE INDEX mail_tokens_by_end ON mail_tokens (expires_at);

-- Mails to one address are counted within the last hour, by these rows alone.
CREATE INDEX mails_by_account_and_time ON mails (account_id, created_at);

-- Active keys are counted at each creation, however many revoked ones an account has.
CREATE INDEX api_keys_active ON api_keys (account_id) WHERE revoked_at IS NULL;
