-- The same tables as on SQLite.

CREATE TABLE documents (
  hash text COLLATE "C" PRIMARY KEY,
  content bytea NOT NULL
);

-- It is compressed already.
ALTER TABLE documents ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE publications (
  id bigint PRIMARY KEY,
  source text COLLATE "C" NOT NULL,
  received_at text COLLATE "C" NOT NULL
);

CREATE INDEX publications_by_source ON publications (source, id);

CREATE TABLE publication_documents (
  publication bigint NOT NULL REFERENCES publications (id),
  place bigint NOT NULL,
  name text NOT NULL,
  received_at text COLLATE "C" NOT NULL,
  hash text COLLATE "C",
  bytes bigint,
  PRIMARY KEY (publication, place)
);

CREATE INDEX publication_documents_by_hash ON publication_documents (hash);

CREATE TABLE observations (
  base text COLLATE "C" NOT NULL,
  quote text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  rate text NOT NULL,
  as_of text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  stored_at text COLLATE "C" NOT NULL,
  publication bigint REFERENCES publications (id),
  place bigint,
  line bigint,
  PRIMARY KEY (base, quote, sequence)
);

CREATE INDEX observations_by_publication ON observations (publication);

ALTER TABLE rates ADD COLUMN observation bigint NOT NULL DEFAULT 1;
ALTER TABLE rates ADD COLUMN headers text;
ALTER TABLE rates ADD COLUMN signing_key text COLLATE "C";
CREATE INDEX rates_by_signing_key ON rates (signing_key) WHERE signing_key IS NOT NULL;

INSERT INTO observations (base, quote, sequence, rate, as_of, source, stored_at)
SELECT base, quote, 1, rate, as_of, source,
  to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') FROM rates;

ALTER TABLE held_rates ADD COLUMN publication bigint REFERENCES publications (id);
ALTER TABLE held_rates ADD COLUMN place bigint;
ALTER TABLE held_rates ADD COLUMN line bigint;
CREATE INDEX held_rates_by_publication ON held_rates (publication);

CREATE TABLE signing_keys (
  id text COLLATE "C" PRIMARY KEY,
  public_key text NOT NULL,
  created_at text COLLATE "C" NOT NULL
);

CREATE TABLE versions (
  name text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL
);

ALTER TABLE events ADD COLUMN pair text COLLATE "C";
UPDATE events SET pair = details::json ->> 'pair' WHERE details IS NOT NULL;
CREATE INDEX events_by_pair ON events (pair, at, id) WHERE pair IS NOT NULL;
