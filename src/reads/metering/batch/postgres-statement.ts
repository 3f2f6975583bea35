import type { Pair } from "../../../rates/served/rules/symbol.ts";
import type { PastSearch } from "../store.ts";
import { lastFigure, type PastFigureRow } from "./past-figure.ts";

// The whole batch is one statement, and so one transaction, one round trip and one commit, unless a
// cap or a grant decides on one of its reads
// (docs/decisions/0007-one-statement-per-batch-on-postgresql.md).
//
// wanted: the batch's accounts, unless a key, an account or a plan has changed since the node read
// them: then there are none, nothing is charged, and the node reads them again.
// charged: inserts or updates the accounts' usage rows, in the order of the accounts on every node,
// so that two batches never deadlock. ON CONFLICT DO UPDATE sees each row as it is once it is
// locked, not as in the statement's snapshot. The row is its account's lock; the daily counts are
// only written under it.
// counted: a read is granted when its number within its account is among the granted units.
const meteredBatch = (counters: string, past = { query: "", column: "" }) => `
  WITH epochs AS MATERIALIZED (
    SELECT (SELECT epoch FROM read_epochs WHERE name = 'access') AS access,
      (SELECT epoch FROM read_epochs WHERE name = 'rates') AS rates
  ),
  wanted AS MATERIALIZED (
    SELECT w.account_id, w.units, w.quota, w.place
    FROM unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY
      AS w (account_id, units, quota, place)
    WHERE (SELECT access FROM epochs) = $9
  ),
  charged AS (
    INSERT INTO period_usage AS u (account_id, period, units, granted, quota)
    SELECT account_id, $4, least(units, quota), least(units, quota), quota
    FROM wanted WHERE units > 0 AND quota > 0 ORDER BY account_id COLLATE "C"
    ON CONFLICT (account_id, period) DO UPDATE SET
      units = u.units + least(excluded.granted, excluded.quota - u.units),
      granted = least(excluded.granted, excluded.quota - u.units),
      quota = excluded.quota
    WHERE u.units < excluded.quota
    RETURNING account_id, units - granted AS used, granted
  ),
  counted AS (
    INSERT INTO daily_usage AS d (account_id, day, api_key_id, units)
    SELECT r.account_id, $5, r.api_key_id, count(*)
    FROM unnest($6::text[], $7::text[], $8::bigint[]) AS r (account_id, api_key_id, number)
    JOIN charged c ON c.account_id = r.account_id AND r.number <= c.granted
    GROUP BY r.account_id, r.api_key_id
    ON CONFLICT (account_id, day, api_key_id) DO UPDATE SET units = d.units + excluded.units
  )${counters}${past.query}
  SELECT e.access, e.rates, w.place, coalesce(c.granted, 0) AS granted, coalesce(c.used, (
    SELECT units FROM period_usage u WHERE u.account_id = w.account_id AND u.period = $4
  ), 0) AS used ${past.column}
  FROM epochs e LEFT JOIN (
    wanted w LEFT JOIN charged c ON c.account_id = w.account_id
  ) ON true`;

// The counters of the caps of keys, and the units of grants. Their rows are locked.
const COUNTERS = `,
  capped AS (
    INSERT INTO capped_usage (line, period, units)
    SELECT c.line, $4, c.units FROM unnest($10::text[], $11::bigint[]) AS c (line, units)
    WHERE (SELECT access FROM epochs) = $9
    ON CONFLICT (line, period) DO UPDATE SET units = excluded.units
  ),
  from_grants AS (
    INSERT INTO granted_usage AS g (grant_id, period, units)
    SELECT t.grant_id, $4, t.units
    FROM unnest($12::text[], $13::bigint[]) AS t (grant_id, units)
    WHERE (SELECT access FROM epochs) = $9
    ON CONFLICT (grant_id, period) DO UPDATE SET units = g.units + excluded.units
  )`;

const pastValues = {
  ...{ base: "r.base", quote: "r.quote", source: "r.source", date: "s.date" },
  latest: "least(s.latest, r.as_of)",
  ...{ asOf: "r.as_of", rate: "r.rate" },
};

/** The figures of past times: a list in the first row. @param first its first parameter. */
const pastFigures = (first: number) => {
  const [index, base, quote, latest, kinds, date] = Array.from("012345", (n) => `$${first + +n}`);
  const values = { ...pastValues, kind: `coalesce(${kinds}::json ->> r.source, 'middle')` };
  return {
    query: `,
  past AS (
    SELECT json_agg(json_build_object('index', s.index, 'figure', f)) AS figures
    FROM unnest(${index}::int[], ${base}::text[], ${quote}::text[], ${latest}::text[],
      ${date}::text[]) AS s (index, base, quote, latest, date)
    JOIN rates r ON r.base = s.base AND r.quote = s.quote
    CROSS JOIN LATERAL (
      SELECT * FROM (${lastFigure("time", values)}) t WHERE s.date IS NULL
      UNION ALL
      SELECT * FROM (${lastFigure("date", values)}) d WHERE s.date IS NOT NULL
    ) f
  )`,
    column: ", CASE WHEN w.place = 1 THEN (SELECT figures FROM past) END AS past",
  };
};

/**
 * The statements of a batch, by whether it has reads whose units were taken before (`takeUnits`),
 * and reads of past times. Their values: see `charge`.
 */
const METERED_BATCHES = {
  plain: { newest: meteredBatch(""), past: meteredBatch("", pastFigures(10)) },
  taken: { newest: meteredBatch(COUNTERS), past: meteredBatch(COUNTERS, pastFigures(14)) },
};

export function meteredBatchOf(
  units: keyof typeof METERED_BATCHES,
  reads: keyof (typeof METERED_BATCHES)["plain"],
): string {
  return METERED_BATCHES[units][reads];
}

/** Whether a statement charges units: once it is sent, its commit can be in doubt. */
export const isCharge = (sql: string) =>
  Object.values(METERED_BATCHES).some(({ newest, past }) => sql === newest || sql === past);

export interface ChargedRow {
  readonly access: number;
  readonly rates: number;
  readonly place: number | null;
  readonly granted: number;
  readonly used: number;
  /** The figures of past times, by the number of their read among those that are charged. */
  readonly past?: readonly { readonly index: number; readonly figure: PastFigureRow }[] | null;
}

/** @param asked its reads of past times, by their number among those that are charged. */
export function pastValuesOf(asked: readonly (Pair & PastSearch & { readonly index: number })[]) {
  return [
    asked.map(({ index }) => index),
    asked.map(({ base }) => base),
    asked.map(({ quote }) => quote),
    asked.map(({ latest }) => latest),
    JSON.stringify(asked[0]?.servedKinds),
    asked.map(({ date }) => date ?? null),
  ];
}
