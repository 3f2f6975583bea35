-- Figures that one document states for the same place of a series, and that contradict each other:
-- neither served nor in their series, kept for the operator to judge, with what was decided.
CREATE TABLE contradictions (
  base text COLLATE "C" NOT NULL,
  quote text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('middle', 'buying', 'selling')),
  date text COLLATE "C" NOT NULL,
  as_of text COLLATE "C" NOT NULL,
  rate text NOT NULL,
  valid_until text COLLATE "C",
  held_at text COLLATE "C" NOT NULL,
  -- None: held. Decided by the operator, or by a later document of the source.
  decision text CHECK (decision IN ('released', 'dropped')),
  publication bigint NOT NULL REFERENCES publications (id),
  place bigint,
  line bigint,
  PRIMARY KEY (base, quote, source, kind, date, as_of, rate)
);

CREATE INDEX contradictions_by_publication ON contradictions (publication);
