import { IMPORT_SOURCE } from "./rules/update-policy.ts";

/** The condition that a column has the source of an import: `isImport` in SQL. */
export const isImported = (column: string) =>
  `(${column} = '${IMPORT_SOURCE}' OR ${column} LIKE '${IMPORT_SOURCE}:%')`;

/** Held from comparing with the stored rates to storing, so that no other process stores then. */
export const RATES_LOCK = "rates";

/** The columns of a figure's place: those of its series, its date and time. */
export const PLACE = "base, quote, source, kind, date, as_of";

/** The condition that a row has the place of the first six parameters. */
export const HAS_PLACE = PLACE.split(", ")
  .map((column, index) => `${column} = $${index + 1}`)
  .join(" AND ");

/** The columns of a figure's key: its place has revisions. */
export const FIGURE_KEY = `${PLACE}, revision`;

/** Builds a statement once per number of rows: an import needs the same one a million times. */
export function byCount(make: (rows: number) => string): (rows: number) => string {
  const made = new Map<number, string>();
  return (rows) => made.getOrInsertComputed(rows, make);
}

// Rates are looked up and stored many at a time: over a network each round trip costs time, and all
// other writers wait for the lock meanwhile.
// Joined from the wanted pairs, each is one search by the key: with IN, SQLite scans the table.
// A pair without a rate may have had one: its history continues after the last observation.
export const currentRates = byCount(
  (pairs) => `
  WITH wanted (number, base, quote) AS (VALUES ${numbered(pairs, 2)})
  SELECT w.number, r.rate, r.as_of, r.source, h.rate AS held_rate, h.as_of AS held_as_of,
    h.source AS held_source, h.held_at,
    coalesce(r.observation, (
      SELECT max(o.sequence) FROM observations o WHERE o.base = w.base AND o.quote = w.quote
    ), 0) AS observation
  FROM wanted w
  LEFT JOIN rates r ON r.base = w.base AND r.quote = w.quote
  LEFT JOIN held_rates h ON h.base = w.base AND h.quote = w.quote`,
);

export const storeRates = byCount(
  (rates) => `
  INSERT INTO rates (base, quote, rate, as_of, source, observation, headers, signing_key)
  VALUES ${placeholders(rates, 8)}
  ON CONFLICT (base, quote) DO UPDATE
    SET rate = excluded.rate, as_of = excluded.as_of, source = excluded.source,
      observation = excluded.observation, headers = excluded.headers,
      signing_key = excluded.signing_key`,
);

/** Its first two parameters are of all rows. */
export const insertObservations = byCount(
  (observations) => `
  INSERT INTO observations (stored_at, publication, base, quote, sequence, rate, as_of, source,
    place, line)
  VALUES ${placeholders(observations, 8, 2)}`,
);

export const holdRates = byCount(
  (rates) => `
  INSERT INTO held_rates (base, quote, rate, as_of, source, held_at, publication, place, line,
    disagreement)
  VALUES ${placeholders(rates, 10)}
  ON CONFLICT (base, quote) DO UPDATE
    SET rate = excluded.rate, as_of = excluded.as_of, source = excluded.source,
      held_at = excluded.held_at, publication = excluded.publication, place = excluded.place,
      line = excluded.line, disagreement = excluded.disagreement`,
);

/** Takes the held rate of a pair out; its third parameter, unless null, says which rate alone. */
export const TAKE_HELD_RATE = `
  DELETE FROM held_rates WHERE base = $1 AND quote = $2 AND (rate = $3 OR $3 IS NULL)
  RETURNING base, quote, rate, as_of, source, held_at, publication, place, line`;

export const dropHeldRates = byCount(
  (pairs) => `
  DELETE FROM held_rates WHERE (base, quote) IN (VALUES ${placeholders(pairs, 2)})`,
);

/**
 * The placeholders of `rows` rows of `columns` values: `($1, $2), ($3, $4)`.
 *
 * @param shared how many values all rows begin with: with one, `($1, $2, $3), ($1, $4, $5)`.
 */
export function placeholders(rows: number, columns: number, shared = 0): string {
  const from = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => `$${first + index}`);
  const row = (index: number) =>
    [...from(1, shared), ...from(shared + 1 + index * columns, columns)].join(", ");
  return Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(", ");
}

/** The same with numbers, since a join may change the order: `(0, $1, $2), (1, $3, $4)`. */
export function numbered(rows: number, columns: number): string {
  let row = 0;
  return placeholders(rows, columns).replaceAll("(", () => `(${row++}, `);
}

/**
 * Changes with the rates in one transaction: after a deletion the next fetch is unconditional,
 * because a 304 would not bring the rate back, and so it is if a fetch was running.
 */
export const SET_VALIDATORS = "UPDATE sources SET validators = $2 WHERE source = $1";

/** Of the source of a publication. */
export const SET_OWN_VALIDATORS = `
  UPDATE sources SET validators = $2
  WHERE source = (SELECT source FROM publications WHERE id = $1)`;
