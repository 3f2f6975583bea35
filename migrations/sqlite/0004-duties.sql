-- What one node does for all, and when it is to be done next.
CREATE TABLE duties (
  name TEXT NOT NULL PRIMARY KEY,
  next_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What has expired is found by its end.
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE INDEX mail_tokens_by_end ON mail_tokens (expires_at);

CREATE INDEX mails_by_end ON mails (coalesce(delivered_at, given_up_at))
  WHERE next_attempt_at IS NULL;
