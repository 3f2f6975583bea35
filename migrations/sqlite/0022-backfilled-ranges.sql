-- A backfill skips what the same command completed before it was stopped, and nothing else: so these
-- rows have the options --from and --to as they were given, '' for none.
DROP TABLE backfilled_ranges;

CREATE TABLE backfilled_ranges (
  source TEXT NOT NULL,
  asked_from TEXT NOT NULL,
  asked_to TEXT NOT NULL,
  first_date TEXT NOT NULL,
  last_date TEXT NOT NULL,
  completed_at TEXT NOT NULL,
  PRIMARY KEY (source, asked_from, asked_to, first_date, last_date)
) STRICT, WITHOUT ROWID;
