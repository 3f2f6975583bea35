import { chunksOf } from "../../platform/shared/chunks.ts";
import type { Decimal } from "../../platform/shared/decimal.ts";
import type { Instant } from "../../platform/shared/instant.ts";
import { integerOf, optionalIntegerOf, textOf } from "../../platform/storage/columns.ts";
import {
  type Row,
  type SqlValue,
  type Statement,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { addFigures, claimUnproven, decideFigures, settleContradictions } from "./figures-sql.ts";
import { type StoredHeaders, withDocument } from "./headers.ts";
import { readHashes, storePublication } from "./history-sql.ts";
import type { DocumentPosition } from "./rules/rate.ts";
import { type AssetSymbol, type Pair, pairName } from "./rules/symbol.ts";
import type { SourcedRate, UpdateDecision, UpdatePolicy } from "./rules/update-policy.ts";
import type { PublicSigningKey } from "./signing-key.ts";
import { addKey } from "./signing-keys-sql.ts";
import { type Disagreements, findDisagreements } from "./sql/disagreements.ts";
import { type Accepted, type HeldState, isOfOneDay, storeHeld, writeHeld } from "./sql/held.ts";
import { findSetAside, type Superseded, setAside, takeBack } from "./sql/set-aside.ts";
import type { DecidedUpdate, HowToDecide, RateUpdate, UpdateOutcome } from "./store.ts";
import {
  currentRates,
  insertObservations,
  SET_OWN_VALIDATORS,
  storeRates,
} from "./update-statements-sql.ts";

/** Counts a change of what pairs exist, who publishes them and which rate is served. */
export const COUNT_CHANGE = `
  INSERT INTO versions (name, version) VALUES ('rates', 1)
  ON CONFLICT (name) DO UPDATE SET version = versions.version + 1
  RETURNING version`;

/** @returns the headers of a rate that is about to be stored, without that of its document. */
type HeadersFor = (rate: SourcedRate) => StoredHeaders;

/** What the store has of a pair, then also what was decided about it. */
interface UpdatedPair extends HeldState {
  readonly pair: Pair;
  current: SourcedRate | undefined;
  /** The sequence of its last observation; 0 without one. */
  sequence: number;
  /** Those to hold before another one was held or accepted. */
  readonly superseded: Omit<Superseded, "heldAt">[];
}

/** Compares rates with the stored ones, and stores or holds those that the policy says. */
export function* updateRates(
  maxRowsPerStatement: number,
  rates: readonly SourcedRate[],
  { publication, origin, further = [], ...how }: Omit<RateUpdate, "headersOf">,
  headersOf: HeadersFor,
): Transaction<UpdateOutcome> {
  const id = yield* storePublication(publication);
  if ("validators" in how) yield statement(SET_OWN_VALIDATORS, id, how.validators ?? null);
  const states = yield* readStates(maxRowsPerStatement, rates);
  const differing = yield* findDisagreements(maxRowsPerStatement, rates, states.ofRates, how);
  const waiting = yield* findSetAside(maxRowsPerStatement, rates);
  const accepted: Accepted[] = [];
  const decisions = rates.map((rate, index) =>
    decide(rate, states.ofRates[index], how.policy, { differing, waiting, accepted }),
  );
  if (accepted.length > 0) {
    for (const { rate } of accepted) if (waiting.has(rate)) yield takeBack(rate);
    for (const some of chunksOf(accepted, maxRowsPerStatement))
      yield addObservations(some, id, origin.at);
    const served = states.ofPairs.flatMap(({ served: last }) => last ?? []);
    yield* serve(maxRowsPerStatement, served, id, headersOf, origin.at);
    yield statement(COUNT_CHANGE);
  }
  const superseded = states.ofPairs.flatMap((state) => state.superseded);
  for (const { held, by } of superseded) if (!isOfOneDay(held, by)) yield writeHeld(held, origin);
  yield* storeHeld(maxRowsPerStatement, states.ofPairs, id, origin);
  const figures = further.length === 0 ? rates : [...rates, ...further];
  const isNew = yield* addFigures(maxRowsPerStatement, figures, id, origin.at);
  yield* setAside(
    maxRowsPerStatement,
    superseded.map((one) => ({ ...one, heldAt: origin.at })),
  );
  // One that was set aside settles none.
  if (isNew.includes(true)) yield settleContradictions(id);
  yield* claimUnproven(rates, id);
  return { decisions, isNew: isNew.slice(0, rates.length), publication: id };
}

/** Decides on rates as `updateRates` does, and stores nothing. */
export function* previewRates(
  maxRowsPerStatement: number,
  rates: readonly SourcedRate[],
  how: HowToDecide,
): Transaction<DecidedUpdate[]> {
  const states = yield* readStates(maxRowsPerStatement, rates);
  const differing = yield* findDisagreements(maxRowsPerStatement, rates, states.ofRates, how);
  const waiting = yield* findSetAside(maxRowsPerStatement, rates);
  const { isNew } = yield* decideFigures(maxRowsPerStatement, rates);
  return rates.map((next, index): DecidedUpdate => {
    const state = states.ofRates[index];
    const current = state?.current;
    const decision = decide(next, state, how.policy, { differing, waiting, accepted: [] });
    return { next, current, decision, isNew: isNew[index] === true };
  });
}

/** Stores one rate whatever the stored one is. */
export function* storeRate(
  rate: SourcedRate,
  publication: number,
  headersOf: HeadersFor,
  now: string,
): Transaction<void> {
  const [state] = (yield* readStates(1, [rate])).ofPairs;
  const accepted = [{ rate, sequence: (state?.sequence ?? 0) + 1 }];
  yield addObservations(accepted, publication, now);
  yield* serve(1, accepted, publication, headersOf, now);
  yield statement(COUNT_CHANGE);
}

/** The states of the pairs, and for each rate the one of its pair. */
interface States {
  readonly ofPairs: readonly UpdatedPair[];
  readonly ofRates: readonly UpdatedPair[];
}

/** Reads what the store has of every pair of the rates. */
function* readStates(
  maxRowsPerStatement: number,
  rates: readonly SourcedRate[],
): Transaction<States> {
  const states = new Map<string, UpdatedPair>();
  let last: UpdatedPair | undefined;
  const ofRates = rates.map((rate) => {
    // An import is sorted by pair.
    if (last?.pair.base === rate.base && last.pair.quote === rate.quote) return last;
    const name = pairName(rate);
    last = states.get(name) ?? newState(rate);
    states.set(name, last);
    return last;
  });
  const ofPairs = [...states.values()];
  for (const some of chunksOf(ofPairs, maxRowsPerStatement)) {
    const wanted: string[] = [];
    for (const { pair } of some) wanted.push(pair.base, pair.quote);
    const rows: Row[] = yield statement(currentRates(some.length), ...wanted);
    for (const row of rows) setStored(some[integerOf(row, "number")], row);
  }
  return { ofPairs, ofRates };
}

function newState(pair: Pair): UpdatedPair {
  return {
    pair,
    current: undefined,
    sequence: 0,
    heldBefore: undefined,
    served: undefined,
    restated: undefined,
    held: undefined,
    superseded: [],
  };
}

function setStored(state: UpdatedPair | undefined, row: Row): void {
  if (state === undefined) throw new Error(`the pair ${row.number} is none of the wanted ones`);
  if (row.rate !== null) state.current = readRate(row, state.pair);
  state.sequence = integerOf(row, "observation");
  if (row.held_rate === null) return;
  const [rate, as_of, source] = [row.held_rate, row.held_as_of, row.held_source];
  const held = readRate({ rate, as_of, source }, state.pair);
  state.heldBefore = { held, heldAt: textOf(row, "held_at") };
}

/**
 * Decides on a rate by what is stored by then, since a file may have a pair twice, and records the
 * decision in the pair's state.
 *
 * @param by.waiting rates that were set aside: they are held already.
 * @param by.accepted gets the rate if it is stored.
 */
function decide(
  rate: SourcedRate,
  state: UpdatedPair | undefined,
  policy: UpdatePolicy,
  by: {
    readonly differing: Disagreements;
    readonly waiting: ReadonlySet<SourcedRate>;
    readonly accepted: Accepted[];
  },
): UpdateDecision {
  if (state === undefined) throw new Error(`${pairName(rate)} was not looked up`);
  const disagreement = by.differing.get(rate);
  const decided = policy(state.current, rate);
  const decision = decided === "store" && disagreement !== undefined ? "hold" : decided;
  if (by.waiting.has(rate) && decision !== "store") return "hold";
  const { held, heldBefore, superseded } = state;
  if (held !== undefined && (decision === "hold" || decision === "store")) {
    superseded.push({ held, by: rate, isAccepted: decision === "store" });
  }
  if (decision === "hold") state.held = { ...rate, disagreement };
  const isOfHeld = heldBefore?.held.source === rate.source && heldBefore.held.asOf === rate.asOf;
  if (decision === "unchanged" && isOfHeld) state.restated = rate;
  if (decision === "store") {
    state.sequence += 1;
    state.current = rate;
    state.served = { rate, sequence: state.sequence };
    state.held = undefined;
    by.accepted.push(state.served);
  }
  return decision;
}

function addObservations(
  accepted: readonly Accepted[],
  publication: number,
  now: string,
): Statement {
  const values: SqlValue[] = [now, publication];
  for (const { rate, sequence } of accepted) {
    const { base, quote, rate: figure, asOf, source, place = null, line = null } = rate;
    values.push(base, quote, sequence, figure, asOf, source, place, line);
  }
  return statement(insertObservations(accepted.length), ...values);
}

/** Serves rates from now on. */
function* serve(
  maxRowsPerStatement: number,
  accepted: readonly Accepted[],
  publication: number,
  headersOf: HeadersFor,
  now: string,
): Transaction<void> {
  const hashes = yield* readHashes(publication);
  let key: PublicSigningKey | undefined;
  for (const some of chunksOf(accepted, maxRowsPerStatement)) {
    const values: SqlValue[] = [];
    for (const { rate, sequence } of some) {
      const { base, quote, rate: figure, asOf, source, place } = rate;
      const { json, signingKey } = headersOf(rate);
      key = signingKey;
      const headers = withDocument(json, place === undefined ? undefined : hashes.get(place));
      values.push(base, quote, figure, asOf, source, sequence, headers, signingKey?.id ?? null);
    }
    yield statement(storeRates(some.length), ...values);
  }
  if (key !== undefined) yield addKey(key, now);
}

export function readPair(row: Row): Pair {
  return { base: textOf(row, "base") as AssetSymbol, quote: textOf(row, "quote") as AssetSymbol };
}

export function readSourcedRate(row: Row): SourcedRate {
  return readRate(row, readPair(row));
}

/** @returns the rate of a row without the columns of its pair, which is known. */
function readRate(row: Row, { base, quote }: Pair): SourcedRate {
  return {
    base,
    quote,
    rate: textOf(row, "rate") as Decimal,
    asOf: textOf(row, "as_of") as Instant,
    source: textOf(row, "source"),
  };
}

export function readPosition(row: Row): DocumentPosition {
  return { place: optionalIntegerOf(row, "place"), line: optionalIntegerOf(row, "line") };
}
