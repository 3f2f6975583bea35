-- Several tokens of one account and purpose are valid at once, so that a newer request does not void
-- the link that was just mailed.
ALTER TABLE mail_tokens
  DROP CONSTRAINT mail_tokens_pkey,
  DROP CONSTRAINT mail_tokens_token_hash_key,
  ADD PRIMARY KEY (token_hash);

CREATE INDEX mail_tokens_by_account ON mail_tokens (account_id, purpose, expires_at);

-- Mails to one address are counted within the last hour, by these rows alone.
CREATE INDEX mails_by_account_and_time ON mails (account_id, created_at);

-- Active keys are counted at each creation, however many revoked ones an account has.
CREATE INDEX api_keys_active ON api_keys (account_id) WHERE revoked_at IS NULL;
