-- A suspended account's keys and sessions are rejected until it is resumed. A deleted one keeps its
-- row, without anything personal, for the units that it was charged.
ALTER TABLE accounts
  ADD COLUMN suspended_at text COLLATE "C",
  ADD COLUMN deleted_at text COLLATE "C",
  -- 0: its owner wants no mails about the quota.
  ADD COLUMN quota_mails bigint NOT NULL DEFAULT 1;

-- Invitations to register. The account gets the id that the invitation's events already name.
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

-- An invitation's mail has an address but no account yet. The figures in a mail about the quota are
-- JSON.
ALTER TABLE mails
  ALTER COLUMN account_id DROP NOT NULL,
  ADD COLUMN email text COLLATE "C",
  ADD COLUMN details text;

CREATE INDEX mails_by_email ON mails (email) WHERE email IS NOT NULL;

-- The mails about the quota that were written: one for each threshold (in percent) of a period.
CREATE TABLE quota_notices (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  period text COLLATE "C" NOT NULL,
  threshold bigint NOT NULL,
  written_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, period, threshold)
);

-- The audit log. Rows are only added, until they are too old; the deletion of an account removes
-- what is personal from its rows. Accounts are not referenced: an invitation has none yet.
CREATE TABLE events (
  id text COLLATE "C" PRIMARY KEY,
  at text COLLATE "C" NOT NULL,
  -- Who acted: account, operator or service.
  actor text COLLATE "C" NOT NULL,
  -- The operator's user name.
  actor_name text,
  -- From where: a client's address (of IPv6 the /64), or the operator's machine.
  origin text,
  action text COLLATE "C" NOT NULL,
  account_id text COLLATE "C",
  -- What the action was about, as JSON.
  details text
);

CREATE INDEX events_by_account ON events (account_id, at, id);
CREATE INDEX events_by_time ON events (at, id);
