// What a restore of the embedded database does with rates: `main` is the database that is
// replaced, `restored` the one that replaces it.

/** When a rate was stored last. */
export const LAST_STORED = "SELECT max(stored_at) AS at FROM observations";

/** A signing key that leaked since the backup would be listed again: the start signs anew. */
export const REMOVE_SIGNATURES = `
  UPDATE rates SET headers = NULL, signing_key = NULL;
  DELETE FROM signing_keys`;

/** A version that a client knows from the replaced database must not return. */
export const RENEW_VERSIONS = `
  INSERT INTO restored.versions (name, version)
  SELECT name, version + 1 FROM main.versions WHERE TRUE
  ON CONFLICT (name) DO UPDATE SET version = max(version, excluded.version)`;

/** Reads of a rate that an operator has stopped must not resume by themselves. */
export const SUSPEND_AGAIN = `
  UPDATE restored.rates AS r SET suspended_at = ? FROM main.rates m
  WHERE m.base = r.base AND m.quote = r.quote
    AND m.suspended_at IS NOT NULL AND r.suspended_at IS NULL`;

/** The pairs that were suspended at a time, as their events name them. */
export const SUSPENDED_PAIRS = `
  SELECT base || '/' || quote AS pair, observation,
    (SELECT coalesce(max(version), 0) FROM versions WHERE name = 'rates') AS change
  FROM rates WHERE suspended_at = ?`;
