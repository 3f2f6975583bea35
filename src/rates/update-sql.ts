import { writeEvent } from "../audit/sql.ts";
import { chunksOf } from "../shared/chunks.ts";
import type { Decimal } from "../shared/decimal.ts";
import type { Instant } from "../shared/instant.ts";
import type { Origin } from "../shared/origin.ts";
import { integerOf, optionalIntegerOf, textOf } from "../storage/columns.ts";
import {
  type Row,
  type SqlValue,
  type Statement,
  statement,
  type Transaction,
} from "../storage/engine.ts";
import type { HeadersOf } from "./headers.ts";
import { storePublication } from "./history-sql.ts";
import { type AssetSymbol, type Pair, pairName } from "./rules/symbol.ts";
import type {
  DocumentPosition,
  ReceivedRate,
  SourcedRate,
  UpdateDecision,
  UpdatePolicy,
} from "./rules/update-policy.ts";
import type { DecidedUpdate, RateUpdate, UpdateOutcome } from "./store.ts";

/** Builds a statement once per number of rows: an import needs the same one a million times. */
function byCount(make: (rows: number) => string): (rows: number) => string {
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

const insertObservations = byCount(
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

/** Counts a change of what pairs exist, who publishes them and which rate is served. */
export const COUNT_CHANGE = `
  INSERT INTO versions (name, version) VALUES ('rates', 1)
  ON CONFLICT (name) DO UPDATE SET version = versions.version + 1`;

/** An accepted rate, with its place in its pair's history. */
interface Accepted {
  readonly rate: ReceivedRate;
  readonly sequence: number;
}

/** What the store has of a pair, then also what was decided about it. */
interface PairState {
  current: SourcedRate | undefined;
  /** The sequence of its last observation; 0 without one. */
  sequence: number;
  /** The rate that the store holds, as `figureName` names it. */
  readonly heldBefore: string | undefined;
  /** The last rate that was accepted. */
  served: Accepted | undefined;
  /** The last rate to hold, unless one was accepted after it. */
  held: ReceivedRate | undefined;
}

/** Compares rates with the stored ones, and stores or holds those that the policy says. */
export function* updateRates(
  maxRowsPerStatement: number,
  rates: readonly ReceivedRate[],
  { judge, headersOf, publication, origin }: RateUpdate,
): Transaction<UpdateOutcome> {
  const id = typeof publication === "number" ? publication : yield* storePublication(publication);
  const states = yield* readStates(maxRowsPerStatement, rates);
  const accepted: Accepted[] = [];
  const verdicts = rates.map((rate) => decide(rate, stateOf(states, rate), judge, accepted));
  if (accepted.length > 0) {
    for (const some of chunksOf(accepted, maxRowsPerStatement))
      yield addObservations(some, id, origin.at);
    const served = [...states.values()].flatMap(({ served: last }) => last ?? []);
    for (const some of chunksOf(served, maxRowsPerStatement))
      yield serve(some, headersOf, origin.at);
    yield statement(COUNT_CHANGE);
  }
  yield* storeHeld(maxRowsPerStatement, [...states.values()], id, origin);
  return { verdicts, publication: id };
}

/** Decides on rates as `updateRates` does, and stores nothing. */
export function* previewRates(
  maxRowsPerStatement: number,
  rates: readonly ReceivedRate[],
  judge: UpdatePolicy,
): Transaction<DecidedUpdate[]> {
  const states = yield* readStates(maxRowsPerStatement, rates);
  return rates.map((next): DecidedUpdate => {
    const state = stateOf(states, next);
    const { current } = state;
    return { next, current, verdict: decide(next, state, judge, []) };
  });
}

/** Stores one rate whatever the stored one is. */
export function* storeRate(
  rate: ReceivedRate,
  publication: number | undefined,
  headersOf: HeadersOf,
  now: string,
): Transaction<void> {
  const { sequence } = stateOf(yield* readStates(1, [rate]), rate);
  const accepted = [{ rate, sequence: sequence + 1 }];
  yield addObservations(accepted, publication, now);
  yield serve(accepted, headersOf, now);
  yield statement(COUNT_CHANGE);
}

/** Reads what the store has of every pair of the rates. */
function* readStates(
  maxRowsPerStatement: number,
  rates: readonly ReceivedRate[],
): Transaction<Map<string, PairState>> {
  const pairs = new Map<string, Pair>();
  for (const rate of rates) pairs.set(pairName(rate), rate);
  const states = new Map<string, PairState>();
  for (const some of chunksOf([...pairs.values()], maxRowsPerStatement)) {
    const rows: Row[] = yield statement(currentRates(some.length), ...some.flatMap(pairOf));
    for (const row of rows) {
      states.set(`${textOf(row, "base")}/${textOf(row, "quote")}`, {
        current: row.rate === null ? undefined : sourcedRateOf(row),
        sequence: integerOf(row, "observation"),
        heldBefore: row.held_rate === null ? undefined : `${row.held_rate} ${row.held_as_of}`,
        served: undefined,
        held: undefined,
      });
    }
  }
  return states;
}

function stateOf(states: ReadonlyMap<string, PairState>, pair: Pair): PairState {
  const state = states.get(pairName(pair));
  if (state === undefined) throw new Error(`${pairName(pair)} was not looked up`);
  return state;
}

/**
 * Decides on a rate by what is stored by then, since a file may have a pair twice, and records the
 * decision in the pair's state.
 *
 * @param accepted gets the rate if it is stored.
 */
function decide(
  rate: ReceivedRate,
  state: PairState,
  judge: UpdatePolicy,
  accepted: Accepted[],
): UpdateDecision {
  const verdict = judge(state.current, rate);
  if (verdict === "hold") state.held = rate;
  if (verdict === "store") {
    state.sequence += 1;
    state.current = rate;
    state.served = { rate, sequence: state.sequence };
    state.held = undefined;
    accepted.push(state.served);
  }
  return verdict;
}

function addObservations(
  accepted: readonly Accepted[],
  publication: number | undefined,
  now: string,
): Statement {
  const values: SqlValue[] = [];
  for (const { rate, sequence } of accepted) {
    const { base, quote, rate: figure, asOf, source, place = null, line = null } = rate;
    values.push(base, quote, sequence, figure, asOf, source, now, publication ?? null, place, line);
  }
  return statement(insertObservations(accepted.length), ...values);
}

/** Serves rates from now on. */
function serve(accepted: readonly Accepted[], headersOf: HeadersOf, now: string): Statement {
  const values: SqlValue[] = [];
  for (const { rate, sequence } of accepted) {
    const { base, quote, rate: figure, asOf, source } = rate;
    const { json, signingKey = null } = headersOf(rate, now);
    values.push(base, quote, figure, asOf, source, sequence, json, signingKey);
  }
  return statement(storeRates(accepted.length), ...values);
}

/** Drops the held rates of pairs with an accepted one, and holds those that are to be held. */
function* storeHeld(
  maxRowsPerStatement: number,
  states: readonly PairState[],
  publication: number,
  origin: Origin,
): Transaction<void> {
  const settled = states.flatMap(({ served, heldBefore }) =>
    served !== undefined && heldBefore !== undefined ? served.rate : [],
  );
  for (const some of chunksOf(settled, maxRowsPerStatement))
    yield statement(dropHeldRates(some.length), ...some.flatMap(pairOf));

  const held = states.flatMap((state) => state.held ?? []);
  for (const some of chunksOf(held, maxRowsPerStatement)) {
    const values = some.flatMap((rate) => heldValuesOf(rate, publication, origin.at));
    yield statement(holdRates(some.length), ...values);
  }
  for (const { served, held: rate, heldBefore } of states) {
    if (rate === undefined) continue;
    const isHeldAlready = served === undefined && heldBefore === figureName(rate);
    if (!isHeldAlready) yield writeEvent("rate.held", origin, { details: figureOf(rate) });
  }
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

/** The name of a figure within its pair, to recognise it when it comes again. */
function figureName({ rate, asOf }: SourcedRate): string {
  return `${rate} ${asOf}`;
}

function heldValuesOf(held: ReceivedRate, publication: number, now: string): SqlValue[] {
  const { base, quote, rate, asOf, source, place = null, line = null } = held;
  return [base, quote, rate, asOf, source, now, publication, place, line];
}

/** The placeholders of `rows` rows of `columns` values: `($1, $2), ($3, $4)`. */
function rowsOf(rows: number, columns: number): string {
  const row = (index: number) =>
    Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`).join(", ");
  return Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(", ");
}
