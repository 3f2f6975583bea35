-- How far the unfinished backfills have come: the dates whose figures were stored. A backfill that
-- finishes removes its rows.
CREATE TABLE backfilled_ranges (
  source TEXT NOT NULL,
  first_date TEXT NOT NULL,
  last_date TEXT NOT NULL,
  completed_at TEXT NOT NULL,
  PRIMARY KEY (source, first_date, last_date)
) STRICT, WITHOUT ROWID;
