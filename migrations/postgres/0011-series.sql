-- The same table as on SQLite: every figure of every publisher, by the publisher's own dates.
CREATE TABLE figures (
  source text COLLATE "C" NOT NULL,
  base text COLLATE "C" NOT NULL,
  quote text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('middle', 'buying', 'selling')),
  date text COLLATE "C" NOT NULL,
  as_of text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  rate text NOT NULL,
  valid_until text COLLATE "C",
  stored_at text COLLATE "C" NOT NULL,
  publication bigint REFERENCES publications (id),
  place bigint,
  line bigint,
  PRIMARY KEY (base, quote, source, kind, date, as_of, revision)
);

CREATE INDEX figures_by_publication ON figures (publication);

INSERT INTO figures (source, base, quote, kind, date, as_of, revision, rate, stored_at, publication,
  place, line)
SELECT source, base, quote, 'middle',
  to_char(
    substr(as_of, 1, 19)::timestamp + CASE
      WHEN source IN ('cbr', 'nbrb') THEN interval '3 hours'
      WHEN source = 'nbg' THEN interval '4 hours'
      WHEN source = 'nbkr' THEN interval '6 hours'
      ELSE interval '0'
    END,
    'YYYY-MM-DD'),
  as_of,
  row_number() OVER (PARTITION BY source, base, quote, as_of ORDER BY sequence),
  rate, stored_at, publication, place, line
FROM (
  SELECT *, lag(rate) OVER (PARTITION BY source, base, quote, as_of ORDER BY sequence) AS previous
  FROM (
    SELECT source, base, quote, as_of, sequence, rate, stored_at, publication, place, line
    FROM observations
    UNION ALL
    SELECT source, base, quote, as_of, 9007199254740991, rate, held_at, publication, place, line
    FROM held_rates
  ) AS known
) AS known
WHERE previous IS NULL OR previous <> rate;
