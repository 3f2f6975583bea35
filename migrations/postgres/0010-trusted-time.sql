-- The newest time that a cleanup trusted. Nothing is removed by its age while the clock is more than
-- a day ahead of it.
CREATE TABLE trusted_time (
  name text COLLATE "C" PRIMARY KEY,
  at text COLLATE "C" NOT NULL
);

-- The last cleanup was up to an hour before the next one is due.
INSERT INTO trusted_time (name, at) SELECT 'cleanup', next_at FROM duties WHERE name = 'tidy';
