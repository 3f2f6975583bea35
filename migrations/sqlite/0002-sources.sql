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

-- Rates that jumped too far from the stored one: not served, kept for the operator to judge.
CREATE TABLE held_rates (
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  rate TEXT NOT NULL,
  as_of TEXT NOT NULL,
  source TEXT NOT NULL,
  held_at TEXT NOT NULL,
  PRIMARY KEY (base, quote)
) STRICT, WITHOUT ROWID;

CREATE INDEX rates_by_source ON rates (source);
