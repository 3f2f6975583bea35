-- Units are counted in one table of small rows: a sync writes the pages that a batch has changed, so
-- what a read costs hangs on how many rows of those that are charged now share a page. Texts of 36
-- bytes stood for accounts and keys before; here it is their numbers, which nobody else ever sees.

ALTER TABLE accounts ADD COLUMN number INTEGER;

UPDATE accounts SET number = numbered.number
FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM accounts) AS numbered
WHERE accounts.id = numbered.id;

CREATE UNIQUE INDEX accounts_by_number ON accounts (number);

CREATE TRIGGER number_account AFTER INSERT ON accounts BEGIN
  UPDATE accounts SET number = (SELECT coalesce(max(number), 0) + 1 FROM accounts)
  WHERE id = new.id;
END;

ALTER TABLE api_keys ADD COLUMN number INTEGER;

UPDATE api_keys SET number = numbered.number
FROM (SELECT key_hash, row_number() OVER (ORDER BY id) AS number FROM api_keys) AS numbered
WHERE api_keys.key_hash = numbered.key_hash;

CREATE UNIQUE INDEX api_keys_by_number ON api_keys (number);

CREATE TRIGGER number_api_key AFTER INSERT ON api_keys BEGIN
  UPDATE api_keys SET number = (SELECT coalesce(max(number), 0) + 1 FROM api_keys)
  WHERE key_hash = new.key_hash;
END;

-- The key's order keeps together what is charged together: an account's units of the period beside
-- those of the day, and the present period's rows apart from all that went before.
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

INSERT INTO charged_units (period, account, day, api_key, units)
SELECT u.period, a.number, 0, 0, u.units FROM period_usage u JOIN accounts a ON a.id = u.account_id
UNION ALL
SELECT substr(u.day, 1, 7), a.number, CAST(substr(u.day, 9) AS INTEGER), k.number, u.units
FROM daily_usage u JOIN accounts a ON a.id = u.account_id JOIN api_keys k ON k.id = u.api_key_id
ORDER BY 1, 2, 3, 4;

DROP TABLE daily_usage;
DROP TABLE period_usage;

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
