import type { Instant } from "../../platform/shared/instant.ts";
import { integerOf, optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import type { Engine, Row } from "../../platform/storage/engine.ts";
import { readPair } from "../served/update-sql.ts";
import { isImported } from "../served/update-statements-sql.ts";
import type { CoverageStore, StoredPair } from "./coverage.ts";

// A source that was never fetched, as after a start without a network, has the newest time of its
// stored rates. Imports need none: a million of them would be searched.
const SOURCES = `
  SELECT coalesce(s.source, o.source) AS source, coalesce(o.pairs, 0) AS pairs, s.last_success_at,
    s.last_error_at, coalesce(s.failures, 0) AS failures,
    coalesce(s.newest_as_of, (
      SELECT max(r.as_of) FROM rates r WHERE r.source = o.source AND NOT ${isImported("o.source")}
    )) AS newest_as_of
  FROM (SELECT source, count(*) AS pairs FROM rates GROUP BY source) AS o
  FULL JOIN sources s ON s.source = o.source`;

const PAIR = "SELECT base, quote, source, as_of, suspended_at FROM rates";

const PAIRS = `${PAIR} WHERE (base, quote) > ($1, $2) ORDER BY base, quote LIMIT $3`;

const PAIRS_OF_BASE = `
  ${PAIR} WHERE base = $4 AND (base, quote) > ($1, $2) ORDER BY quote LIMIT $3`;

const PAIRS_OF_SOURCE = `
  SELECT base, quote FROM rates WHERE source = $1 AND suspended_at IS NULL
  ORDER BY base, quote LIMIT $2`;

export function coverageStore(engine: Engine): CoverageStore {
  return {
    async sources() {
      return (await engine.query(SOURCES)).map((row) => ({
        source: textOf(row, "source"),
        pairs: integerOf(row, "pairs"),
        lastSuccessAt: optionalTextOf(row, "last_success_at"),
        newestAsOf: optionalTextOf(row, "newest_as_of") as Instant | undefined,
        failures: integerOf(row, "failures"),
        lastErrorAt: optionalTextOf(row, "last_error_at"),
      }));
    },

    async pairs({ limit, after, base }) {
      const start = [after?.base ?? "", after?.quote ?? "", limit] as const;
      const rows =
        base === undefined
          ? await engine.query(PAIRS, ...start)
          : await engine.query(PAIRS_OF_BASE, ...start, base);
      return rows.map(storedPairOf);
    },

    async pairsOfSource(source, limit) {
      return (await engine.query(PAIRS_OF_SOURCE, source, limit)).map(readPair);
    },
  };
}

function storedPairOf(row: Row): StoredPair {
  return {
    ...readPair(row),
    source: textOf(row, "source"),
    asOf: textOf(row, "as_of") as Instant,
    isSuspended: row.suspended_at !== null,
  };
}
