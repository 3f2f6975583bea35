-- Every figure of every publisher, by the publisher's own dates, whoever owns the pair. What is or was
-- served of a pair stays in rates and observations. With row ids, the second index is small: without
-- them an import took a fifth longer.
CREATE TABLE figures (
  source TEXT NOT NULL,
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('middle', 'buying', 'selling')),
  -- The publisher's own date, such as 2026-03-13.
  date TEXT NOT NULL,
  as_of TEXT NOT NULL,
  -- From 1: a publisher may amend what it has published. The last one counts.
  revision INTEGER NOT NULL,
  rate TEXT NOT NULL,
  -- The last date of its validity, for a table that is valid for a period.
  valid_until TEXT,
  stored_at TEXT NOT NULL,
  -- Unknown for rates that were stored before the history began.
  publication INTEGER REFERENCES publications (id),
  place INTEGER,
  line INTEGER,
  PRIMARY KEY (base, quote, source, kind, date, as_of, revision)
) STRICT;

CREATE INDEX figures_by_publication ON figures (publication);

-- What was served and what is held, each figure once: a pair that was deleted and stored again has two
-- observations of one figure. Sources whose date begins at midnight in a zone east of UTC have an
-- as_of on the day before.
INSERT INTO figures (source, base, quote, kind, date, as_of, revision, rate, stored_at, publication,
  place, line)
SELECT source, base, quote, 'middle',
  CASE source
    WHEN 'cbr' THEN date(substr(as_of, 1, 19), '+3 hours')
    WHEN 'nbrb' THEN date(substr(as_of, 1, 19), '+3 hours')
    WHEN 'nbg' THEN date(substr(as_of, 1, 19), '+4 hours')
    WHEN 'nbkr' THEN date(substr(as_of, 1, 19), '+6 hours')
    ELSE substr(as_of, 1, 10)
  END,
  as_of,
  row_number() OVER (PARTITION BY source, base, quote, as_of ORDER BY sequence),
  rate, stored_at, publication, place, line
FROM (
  SELECT *, lag(rate) OVER (PARTITION BY source, base, quote, as_of ORDER BY sequence) AS previous
  FROM (
    SELECT source, base, quote, as_of, sequence, rate, stored_at, publication, place, line
    FROM observations
    UNION ALL
    -- A held rate came after its pair's last observation.
    SELECT source, base, quote, as_of, 9007199254740991, rate, held_at, publication, place, line
    FROM held_rates
  )
)
WHERE previous IS NULL OR previous <> rate;
