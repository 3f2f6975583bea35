-- Figures that one document states for the same place of a series, and that contradict each other:
-- neither served nor in their series, kept for the operator to judge, with what was decided.
CREATE TABLE contradictions (
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  source TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('middle', 'buying', 'selling')),
  date TEXT NOT NULL,
  as_of TEXT NOT NULL,
  rate TEXT NOT NULL,
  valid_until TEXT,
  held_at TEXT NOT NULL,
  -- None: held. Decided by the operator, or by a later document of the source.
  decision TEXT CHECK (decision IN ('released', 'dropped')),
  publication INTEGER NOT NULL REFERENCES publications (id),
  place INTEGER,
  line INTEGER,
  PRIMARY KEY (base, quote, source, kind, date, as_of, rate)
) STRICT, WITHOUT ROWID;

CREATE INDEX contradictions_by_publication ON contradictions (publication);
