import { writeEvent } from "../audit/sql.ts";
import { chunksOf } from "../shared/chunks.ts";
import type { Decimal } from "../shared/decimal.ts";
import type { Instant } from "../shared/instant.ts";
import { integerOf, optionalIntegerOf, textOf } from "../storage/columns.ts";
import { type Row, type SqlValue, statement, type Transaction } from "../storage/engine.ts";
import type { StoredHeaders } from "./headers.ts";
import { storePublication } from "./history-sql.ts";
import { type AssetSymbol, type Pair, pairName } from "./rules/symbol.ts";
import type {
  DocumentPosition,
  ReceivedRate,
  SourcedRate,
  UpdateDecision,
  UpdatePolicy,
} from "./rules/update-policy.ts";
import type { PublicSigningKey } from "./signing-key.ts";
import { addKey } from "./signing-keys-sql.ts";
import type { DecidedUpdate, RateUpdate, UpdateOutcome } from "./store.ts";

/** Builds a statement once per number of rows: an import needs the same one a million times. */
export function byCount(make: (rows: number) => string): (rows: number) => string {
  const made = new Map<number, string>();
  return (rows) => {
    const known = made.get(rows) ?? make(rows);
    made.set(rows, known);
    return known;
  };
}

// Rates are looked up and stored many at a time: over a network each round trip costs time, and all
// other writers wait for the lock meanwhile.
// Joined from the wanted pairs, each is one search by the key: with IN, SQLite scans the table.
// A pair without a rate may have had one: its history continues after the last observation.
const currentRates = byCount(
  (pairs) => `
  WITH wanted (base, quote) AS (VALUES ${rowsOf(pairs, 2)})
  SELECT w.base, w.quote, r.rate, r.as_of, r.source, h.rate AS held_rate, h.as_of AS held_as_of,
    coalesce(r.observation, (
      SELECT max(o.sequence) FROM observations o WHERE o.base = w.base AND o.quote = w.quote
    ), 0) AS observation
  FROM wanted w
  LEFT JOIN rates r ON r.base = w.base AND r.quote = w.quote
  LEFT JOIN held_rates h ON h.base = w.base AND h.quote = w.quote`,
);

const storeRates = byCount(
  (rates) => `
  INSERT INTO rates (base, quote, rate, as_of, source, observation, headers, signing_key)
  VALUES ${rowsOf(rates, 8)}
  ON CONFLICT (base, quote) DO UPDATE
    SET rate = excluded.rate, as_of = excluded.as_of, source = excluded.source,
      observation = excluded.observation, headers = excluded.headers,
      signing_key = excluded.signing_key`,
);

const addObservations = byCount(
  (observations) => `
  INSERT INTO observations (base, quote, sequence, rate, as_of, source, stored_at, publication,
    place, line)
  VALUES ${rowsOf(observations, 10)}`,
);

const holdRates = byCount(
  (rates) => `
  INSERT INTO held_rates (base, quote, rate, as_of, source, held_at, publication, place, line)
  VALUES ${rowsOf(rates, 9)}
  ON CONFLICT (base, quote) DO UPDATE
    SET rate = excluded.rate, as_of = excluded.as_of, source = excluded.source,
      held_at = excluded.held_at, publication = excluded.publication, place = excluded.place,
      line = excluded.line`,
);

const dropHeldRates = byCount(
  (pairs) => `
  DELETE FROM held_rates WHERE (base, quote) IN (VALUES ${rowsOf(pairs, 2)})`,
);

/** Held from comparing with the stored rates to storing, so that no other process stores then. */
export const RATES_LOCK = "rates";

/** Counts a change of what pairs exist, who publishes them and which rate is served. */
export const COUNT_CHANGE = `
  INSERT INTO versions (name, version) VALUES ('rates', 1)
  ON CONFLICT (name) DO UPDATE SET version = versions.version + 1`;

/** @returns the headers of a rate that is about to be stored. */
type HeadersFor = (rate: SourcedRate) => StoredHeaders;

/** An accepted rate, with its place in its pair's history. */
interface Accepted {
  readonly rate: ReceivedRate;
  readonly sequence: number;
}

/** Compares rates with the stored ones, and stores or holds those that the policy says. */
export function* updateRates(
  maxRowsPerStatement: number,
  rates: readonly ReceivedRate[],
  { judge, publication, origin }: RateUpdate,
  headersOf: HeadersFor,
): Transaction<UpdateOutcome> {
  const id = typeof publication === "number" ? publication : yield* storePublication(publication);
  const verdicts: UpdateDecision[] = [];
  let hasChanges = false;
  for (const some of chunksOf(rates, maxRowsPerStatement)) {
    const { judged, accepted, served, held, newlyHeld, settled } = yield* judgeAll(some, judge);
    for (const { verdict } of judged) verdicts.push(verdict);
    if (accepted.length > 0) {
      hasChanges = true;
      yield* store(accepted, served, id, headersOf, origin.at);
    }
    if (settled.length > 0)
      yield statement(dropHeldRates(settled.length), ...settled.flatMap(pairOf));
    const withTime = held.flatMap((rate) => [...valuesOf(rate), origin.at, ...originOf(rate, id)]);
    if (held.length > 0) yield statement(holdRates(held.length), ...withTime);
    for (const rate of newlyHeld)
      yield writeEvent("rate.held", origin, { details: figureOf(rate) });
  }
  if (hasChanges) yield statement(COUNT_CHANGE);
  return { verdicts, publication: id };
}

/** Stores one rate whatever the stored one is. */
export function* storeRate(
  rate: ReceivedRate,
  publication: number | undefined,
  headersOf: HeadersFor,
  now: string,
): Transaction<void> {
  const [row] = yield statement(currentRates(1), rate.base, rate.quote);
  const accepted = [{ rate, sequence: integerOf(row ?? {}, "observation") + 1 }];
  yield* store(accepted, accepted, publication, headersOf, now);
  yield statement(COUNT_CHANGE);
}

/** @param served those of the accepted rates that are the last of their pairs. */
function* store(
  accepted: readonly Accepted[],
  served: readonly Accepted[],
  publication: number | undefined,
  headersOf: HeadersFor,
  now: string,
): Transaction<void> {
  const observations = accepted.flatMap(({ rate, sequence }) => [
    rate.base,
    rate.quote,
    sequence,
    rate.rate,
    rate.asOf,
    rate.source,
    now,
    ...originOf(rate, publication),
  ]);
  yield statement(addObservations(accepted.length), ...observations);
  let key: PublicSigningKey | undefined;
  const rows = served.flatMap(({ rate, sequence }) => {
    const { json, signingKey } = headersOf(rate);
    key = signingKey;
    return [...valuesOf(rate), sequence, json, signingKey?.id ?? null];
  });
  yield statement(storeRates(served.length), ...rows);
  if (key !== undefined) yield addKey(key, now);
}

/** What is decided about rates before anything of it is stored. */
interface Judged {
  readonly judged: readonly DecidedUpdate[];
  readonly accepted: readonly Accepted[];
  /** The last accepted rate of each pair. */
  readonly served: readonly Accepted[];
  /** The last rate to hold of each pair. */
  readonly held: readonly ReceivedRate[];
  /** Those to hold that are not held already. */
  readonly newlyHeld: readonly ReceivedRate[];
  /** The pairs to serve that have a held rate. */
  readonly settled: readonly Pair[];
}

/**
 * Decides on rates one after the other, each against the rate stored by then: a file may have a
 * pair twice.
 */
export function* judgeAll(
  rates: readonly ReceivedRate[],
  judge: UpdatePolicy,
): Transaction<Judged> {
  const pairs = new Map(rates.map((rate) => [pairName(rate), rate]));
  const values = [...pairs.values()].flatMap(pairOf);
  const rows: Row[] = yield statement(currentRates(pairs.size), ...values);
  const current = new Map<string, SourcedRate>();
  const sequences = new Map<string, number>();
  const heldBefore = new Map<string, string>();
  for (const row of rows) {
    const name = `${textOf(row, "base")}/${textOf(row, "quote")}`;
    sequences.set(name, integerOf(row, "observation"));
    if (row.rate !== null) current.set(name, sourcedRateOf(row));
    if (row.held_rate !== null) heldBefore.set(name, `${row.held_rate} ${row.held_as_of}`);
  }

  const accepted: Accepted[] = [];
  const served = new Map<string, Accepted>();
  const held = new Map<string, ReceivedRate>();
  const judged = rates.map((next): DecidedUpdate => {
    const name = pairName(next);
    const before = current.get(name);
    const verdict = judge(before, next);
    if (verdict === "hold") held.set(name, next);
    if (verdict === "store") {
      const sequence = (sequences.get(name) ?? 0) + 1;
      const one = { rate: next, sequence };
      sequences.set(name, sequence);
      current.set(name, next);
      accepted.push(one);
      served.set(name, one);
      held.delete(name);
    }
    return { next, current: before, verdict };
  });
  const isHeldAlready = (rate: SourcedRate) =>
    heldBefore.get(pairName(rate)) === `${rate.rate} ${rate.asOf}`;
  const settled = [...served.values()].flatMap(({ rate }) =>
    heldBefore.has(pairName(rate)) ? [rate] : [],
  );
  return {
    judged,
    accepted,
    served: [...served.values()],
    held: [...held.values()],
    newlyHeld: [...held.values()].filter((rate) => !isHeldAlready(rate)),
    settled,
  };
}

/** The details of an event about a rate: enough to import it again. */
export function figureOf(rate: SourcedRate) {
  return { pair: pairName(rate), rate: rate.rate, as_of: rate.asOf, source: rate.source };
}

export function sourcedRateOf(row: Row): SourcedRate {
  return {
    base: textOf(row, "base") as AssetSymbol,
    quote: textOf(row, "quote") as AssetSymbol,
    rate: textOf(row, "rate") as Decimal,
    asOf: textOf(row, "as_of") as Instant,
    source: textOf(row, "source"),
  };
}

export function positionOf(row: Row): DocumentPosition {
  return { place: optionalIntegerOf(row, "place"), line: optionalIntegerOf(row, "line") };
}

function pairOf({ base, quote }: Pair): readonly string[] {
  return [base, quote];
}

function valuesOf({ base, quote, rate, asOf, source }: SourcedRate): readonly string[] {
  return [base, quote, rate, asOf, source];
}

/** The columns that say which document states a rate. */
function originOf({ place, line }: ReceivedRate, publication: number | undefined): SqlValue[] {
  return [publication ?? null, place ?? null, line ?? null];
}

/** The placeholders of `rows` rows of `columns` values: `($1, $2), ($3, $4)`. */
export function rowsOf(rows: number, columns: number): string {
  const row = (index: number) =>
    Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`).join(", ");
  return Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(", ");
}
