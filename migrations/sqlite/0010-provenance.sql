-- The bytes of the documents that rates came from, once for each content.
CREATE TABLE documents (
  -- SHA-256 of the content before its compression.
  hash TEXT NOT NULL PRIMARY KEY,
  -- Compressed with zstd.
  content BLOB NOT NULL
) STRICT;

-- What one fetch, one import or the bundled snapshot brought.
CREATE TABLE publications (
  id INTEGER NOT NULL PRIMARY KEY,
  -- A publisher's key, import or snapshot.
  source TEXT NOT NULL,
  received_at TEXT NOT NULL
) STRICT;

CREATE INDEX publications_by_source ON publications (source, id);

CREATE TABLE publication_documents (
  publication INTEGER NOT NULL REFERENCES publications (id),
  -- From 0, in the order of the publisher's addresses.
  place INTEGER NOT NULL,
  -- The address, or the name of the file.
  name TEXT NOT NULL,
  -- By the publisher's clock, if its response stated it.
  received_at TEXT NOT NULL,
  -- Unknown until an import has read its file. Imported files are not among the documents.
  hash TEXT,
  bytes INTEGER,
  PRIMARY KEY (publication, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX publication_documents_by_hash ON publication_documents (hash);

-- Every rate that was accepted, in order. The last one of a pair is the one that is served.
CREATE TABLE observations (
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  -- From 1 for each pair.
  sequence INTEGER NOT NULL,
  rate TEXT NOT NULL,
  as_of TEXT NOT NULL,
  source TEXT NOT NULL,
  stored_at TEXT NOT NULL,
  -- Unknown for rates that were stored before the history began.
  publication INTEGER REFERENCES publications (id),
  -- The publication's document that states the rate.
  place INTEGER,
  -- The line of an imported file.
  line INTEGER,
  PRIMARY KEY (base, quote, sequence)
) STRICT, WITHOUT ROWID;

CREATE INDEX observations_by_publication ON observations (publication);

-- The sequence of the observation that is served.
ALTER TABLE rates ADD COLUMN observation INTEGER NOT NULL DEFAULT 1;
-- The headers of its responses, as JSON: alternating names and values.
ALTER TABLE rates ADD COLUMN headers TEXT;
-- The id of the key that signed them.
ALTER TABLE rates ADD COLUMN signing_key TEXT;
CREATE INDEX rates_by_signing_key ON rates (signing_key) WHERE signing_key IS NOT NULL;

INSERT INTO observations (base, quote, sequence, rate, as_of, source, stored_at)
SELECT base, quote, 1, rate, as_of, source, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM rates;

ALTER TABLE held_rates ADD COLUMN publication INTEGER REFERENCES publications (id);
ALTER TABLE held_rates ADD COLUMN place INTEGER;
ALTER TABLE held_rates ADD COLUMN line INTEGER;
CREATE INDEX held_rates_by_publication ON held_rates (publication);

-- The public keys of every node that signs rates.
CREATE TABLE signing_keys (
  -- Its thumbprint (RFC 7638).
  id TEXT NOT NULL PRIMARY KEY,
  -- Ed25519, 32 bytes in base64url.
  public_key TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Counts the transactions that changed something of a kind, so that a copy proves that it is new.
CREATE TABLE versions (
  name TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The events of a pair belong to its history, and are kept as long.
ALTER TABLE events ADD COLUMN pair TEXT;
UPDATE events SET pair = json_extract(details, '$.pair') WHERE details IS NOT NULL;
CREATE INDEX events_by_pair ON events (pair, at, id) WHERE pair IS NOT NULL;
