-- A backfill skips what the same command completed before it was stopped, and nothing else: so these
-- rows have the options --from and --to as they were given, '' for none.
DROP TABLE backfilled_ranges;

CREATE TABLE backfilled_ranges (
  source text COLLATE "C" NOT NULL,
  asked_from text COLLATE "C" NOT NULL,
  asked_to text COLLATE "C" NOT NULL,
  first_date text COLLATE "C" NOT NULL,
  last_date text COLLATE "C" NOT NULL,
  completed_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (source, asked_from, asked_to, first_date, last_date)
);
