import type { Instant } from "../../platform/shared/instant.ts";
import { integerOf, optionalTextOf, type Tables, textOf } from "../../platform/storage/columns.ts";
import type { Engine } from "../../platform/storage/engine.ts";
import { readPair } from "../served/update-sql.ts";
import type { SourceStore } from "./store.ts";

export const sourceTables: Tables = {
  sources: {
    key: "source",
    others:
      "last_success_at, last_error_at, last_error, failures, newest_as_of, next_attempt_at, " +
      "leased_until, validators",
  },
};

const LIST_SOURCES = `
  SELECT s.source, s.last_success_at, s.last_error_at, s.last_error, s.failures,
    coalesce(s.newest_as_of, (SELECT max(r.as_of) FROM rates r WHERE r.source = s.source))
      AS newest_as_of,
    s.next_attempt_at, s.validators,
    (SELECT count(*) FROM rates r WHERE r.source = s.source) AS pairs
  FROM sources s ORDER BY s.source`;

// In SQLite, CROSS JOIN searches the rates of each source. A million imports are not read.
const PAIRS_BEHIND = `
  SELECT r.base, r.quote, r.source, r.as_of FROM sources s CROSS JOIN rates r
  WHERE r.source = s.source AND r.as_of < s.newest_as_of AND r.suspended_at IS NULL
  ORDER BY r.as_of, r.base, r.quote`;

// At a start, a source that failed last is tried at once, whatever its backoff was.
const ADD_SOURCE = `
  INSERT INTO sources (source, next_attempt_at) VALUES ($1, $2)
  ON CONFLICT (source) DO UPDATE SET next_attempt_at = excluded.next_attempt_at
    WHERE sources.failures > 0 AND sources.next_attempt_at > excluded.next_attempt_at`;

// Test and change in one statement: of two nodes only one gets the lease. A lease that ends later
// than the requested one dates from before the clock was set back, and so does the next attempt of
// a source whose last attempt is in the future. A source that was never tried is due.
const LEASE_SOURCE = `
  UPDATE sources SET leased_until = $3
  WHERE source = $1 AND
    (leased_until IS NULL OR leased_until <= $2 OR leased_until > $3)
    AND ($4 = 0 OR next_attempt_at <= $2 OR last_success_at > $2 OR last_error_at > $2
      OR coalesce(last_success_at, last_error_at) IS NULL)
  RETURNING source`;

const RELEASE_SOURCE = "UPDATE sources SET leased_until = NULL WHERE source = $1";

const RECORD_SUCCESS = `
  UPDATE sources SET last_success_at = $2, newest_as_of = coalesce($3, newest_as_of),
    next_attempt_at = $4, failures = 0, leased_until = NULL
  WHERE source = $1`;

const RECORD_FAILURE = `
  UPDATE sources SET last_error_at = $2, last_error = $3, next_attempt_at = $4,
    newest_as_of = coalesce($5, newest_as_of), failures = failures + 1, leased_until = NULL
  WHERE source = $1`;

export function sourceStore(engine: Engine): SourceStore {
  return {
    async list() {
      const rows = await engine.query(LIST_SOURCES);
      return rows.map((row) => ({
        source: textOf(row, "source"),
        lastSuccessAt: optionalTextOf(row, "last_success_at"),
        lastErrorAt: optionalTextOf(row, "last_error_at"),
        lastError: optionalTextOf(row, "last_error"),
        failures: integerOf(row, "failures"),
        newestAsOf: optionalTextOf(row, "newest_as_of") as Instant | undefined,
        nextAttemptAt: textOf(row, "next_attempt_at"),
        validators: optionalTextOf(row, "validators"),
        pairs: integerOf(row, "pairs"),
      }));
    },

    async pairsBehind() {
      return (await engine.query(PAIRS_BEHIND)).map((row) => ({
        ...readPair(row),
        source: textOf(row, "source"),
        asOf: textOf(row, "as_of") as Instant,
      }));
    },

    async add(source, nextAttemptAt) {
      await engine.query(ADD_SOURCE, source, nextAttemptAt);
    },

    async lease(source, { now, until, onlyWhenDue }) {
      const values = [source, now, until, onlyWhenDue ? 1 : 0];
      return (await engine.query(LEASE_SOURCE, ...values)).length === 1;
    },

    async release(source) {
      await engine.query(RELEASE_SOURCE, source);
    },

    async recordSuccess(source, { at, newestAsOf, nextAttemptAt }) {
      await engine.query(RECORD_SUCCESS, source, at, newestAsOf ?? null, nextAttemptAt);
    },

    async recordFailure(source, { at, reason, nextAttemptAt, newestAsOf }) {
      const values = [source, at, reason, nextAttemptAt, newestAsOf ?? null];
      await engine.query(RECORD_FAILURE, ...values);
    },
  };
}
