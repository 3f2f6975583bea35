-- The same table as on SQLite: how far the unfinished backfills have come.
CREATE TABLE backfilled_ranges (
  source text COLLATE "C" NOT NULL,
  first_date text COLLATE "C" NOT NULL,
  last_date text COLLATE "C" NOT NULL,
  completed_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (source, first_date, last_date)
);
