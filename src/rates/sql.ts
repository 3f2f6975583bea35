import type { Action } from "../audit/rules.ts";
import { writeEvent } from "../audit/sql.ts";
import { chunksOf } from "../shared/chunks.ts";
import type { Decimal } from "../shared/decimal.ts";
import type { Instant } from "../shared/instant.ts";
import type { Origin } from "../shared/origin.ts";
import { optionalTextOf, type Tables, textOf } from "../storage/columns.ts";
import { type Engine, type Row, statement } from "../storage/engine.ts";
import { type AssetSymbol, type Pair, pairName } from "./rules/symbol.ts";
import type { SourcedRate, UpdateDecision, UpdatePolicy } from "./rules/update-policy.ts";
import { FORGET_VALIDATORS } from "./sources-sql.ts";
import type { DecidedUpdate, HeldRate, RateStore, StoredRate } from "./store.ts";

export const rateTables: Tables = {
  rates: { key: "base, quote", others: "rate, as_of, source, suspended_at" },
  held_rates: { key: "base, quote", others: "rate, as_of, source, held_at" },
};

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
const currentRates = byCount(
  (pairs) => `
  WITH wanted (base, quote) AS (VALUES ${rowsOf(pairs, 2)})
  SELECT r.base, r.quote, r.rate, r.as_of, r.source, h.held_at
  FROM wanted w
  JOIN rates r ON r.base = w.base AND r.quote = w.quote
  LEFT JOIN held_rates h ON h.base = r.base AND h.quote = r.quote`,
);

const storeRates = byCount(
  (rates) => `
  INSERT INTO rates (base, quote, rate, as_of, source) VALUES ${rowsOf(rates, 5)}
  ON CONFLICT (base, quote) DO UPDATE
    SET rate = excluded.rate, as_of = excluded.as_of, source = excluded.source`,
);

const holdRates = byCount(
  (rates) => `
  INSERT INTO held_rates (base, quote, rate, as_of, source, held_at) VALUES ${rowsOf(rates, 6)}
  ON CONFLICT (base, quote) DO UPDATE
    SET rate = excluded.rate, as_of = excluded.as_of, source = excluded.source,
      held_at = excluded.held_at`,
);

const dropHeldRates = byCount(
  (pairs) => `
  DELETE FROM held_rates WHERE (base, quote) IN (VALUES ${rowsOf(pairs, 2)})`,
);

const TAKE_HELD_RATE = `
  DELETE FROM held_rates WHERE base = $1 AND quote = $2
  RETURNING base, quote, rate, as_of, source`;

const LIST_HELD_RATES = `
  SELECT h.base, h.quote, h.rate, h.as_of, h.source, h.held_at, r.rate AS served_rate
  FROM held_rates h JOIN rates r ON r.base = h.base AND r.quote = h.quote
  ORDER BY h.base, h.quote`;

const LIST_RATES = `
  SELECT base, quote, rate, as_of, source, suspended_at FROM rates
  WHERE base = $1 OR $1 IS NULL ORDER BY base, quote`;

const HAS_RATES = "SELECT 1 FROM rates LIMIT 1";

const SUSPEND_RATE = `
  UPDATE rates SET suspended_at = $3 WHERE base = $1 AND quote = $2 RETURNING base`;

const REMOVE_RATE = `
  DELETE FROM rates WHERE base = $1 AND quote = $2
  RETURNING base, quote, rate, as_of, source, suspended_at`;

/** Held from comparing with the stored rates to storing, so that no other process stores then. */
const RATES_LOCK = "rates";

export function rateStore(engine: Engine): RateStore {
  const setSuspended = (pair: Pair, at: string | null, action: Action, origin: Origin) =>
    engine.transaction(function* () {
      const isKnown = (yield statement(SUSPEND_RATE, pair.base, pair.quote, at)).length === 1;
      if (isKnown) yield writeEvent(action, origin, { details: { pair: pairName(pair) } });
      return isKnown;
    });

  return {
    update: (rates, judge, now) =>
      engine.transaction(function* () {
        const verdicts: UpdateDecision[] = [];
        for (const some of chunksOf(rates, engine.maxRowsPerStatement)) {
          const { judged, stored, held, settled } = yield* judgeAll(some, judge);
          verdicts.push(...judged.map(({ verdict }) => verdict));
          if (stored.length > 0)
            yield statement(storeRates(stored.length), ...stored.flatMap(valuesOf));
          if (settled.length > 0)
            yield statement(dropHeldRates(settled.length), ...settled.flatMap(pairOf));
          const withTime = held.flatMap((rate) => [...valuesOf(rate), now]);
          if (held.length > 0) yield statement(holdRates(held.length), ...withTime);
        }
        return verdicts;
      }, RATES_LOCK),

    previewUpdate: (rates, judge) =>
      engine.transaction(function* () {
        const all: DecidedUpdate[] = [];
        for (const some of chunksOf(rates, engine.maxRowsPerStatement))
          all.push(...(yield* judgeAll(some, judge)).judged);
        return all;
      }),

    async listHeld() {
      return (await engine.query(LIST_HELD_RATES)).map(
        (row): HeldRate => ({
          ...sourcedRateOf(row),
          heldAt: textOf(row, "held_at"),
          servedRate: textOf(row, "served_rate") as Decimal,
        }),
      );
    },

    releaseHeld: ({ base, quote }, origin) =>
      engine.transaction(function* () {
        const [row] = yield statement(TAKE_HELD_RATE, base, quote);
        if (row === undefined) return undefined;
        const held = sourcedRateOf(row);
        yield statement(storeRates(1), ...valuesOf(held));
        const details = figureOf(held);
        yield writeEvent("rate.released", origin, { details });
        return held;
      }, RATES_LOCK),

    dropHeld: ({ base, quote }, origin) =>
      engine.transaction(function* () {
        const [row] = yield statement(TAKE_HELD_RATE, base, quote);
        if (row === undefined) return false;
        const details = figureOf(sourcedRateOf(row));
        yield writeEvent("rate.dropped", origin, { details });
        return true;
      }),

    async list(base) {
      return (await engine.query(LIST_RATES, base ?? null)).map(storedRateOf);
    },

    async hasAny() {
      return (await engine.queryWithPriority(HAS_RATES)).length > 0;
    },

    suspend: (pair, origin) => setSuspended(pair, origin.at, "rate.suspended", origin),
    resume: (pair, origin) => setSuspended(pair, null, "rate.resumed", origin),

    remove: ({ base, quote }, origin) =>
      engine.transaction(function* () {
        const [row] = yield statement(REMOVE_RATE, base, quote);
        if (row === undefined) return undefined;
        const rate = storedRateOf(row);
        const [heldRow] = yield statement(TAKE_HELD_RATE, base, quote);
        yield statement(FORGET_VALIDATORS, rate.source);
        const details = figureOf(rate);
        yield writeEvent("rate.deleted", origin, { details });
        return { rate, held: heldRow && sourcedRateOf(heldRow) };
      }, RATES_LOCK),
  };
}

/**
 * Decides on rates one after the other, each against the rate stored by then: a file may have a
 * pair twice.
 *
 * @returns the decisions; the last rate of each pair to store and to hold; and those to store
 *   whose pair has a held rate.
 */
function* judgeAll(rates: readonly SourcedRate[], judge: UpdatePolicy) {
  const pairs = new Map(rates.map((rate) => [pairName(rate), rate]));
  const values = [...pairs.values()].flatMap(pairOf);
  const rows: Row[] = yield statement(currentRates(pairs.size), ...values);
  const current = new Map<string, SourcedRate>();
  const heldBefore = new Set<string>();
  for (const row of rows) {
    const rate = sourcedRateOf(row);
    current.set(pairName(rate), rate);
    if (row.held_at !== null) heldBefore.add(pairName(rate));
  }

  const stored = new Map<string, SourcedRate>();
  const held = new Map<string, SourcedRate>();
  const judged = rates.map((next): DecidedUpdate => {
    const name = pairName(next);
    const before = current.get(name);
    const verdict = judge(before, next);
    if (verdict === "hold") held.set(name, next);
    if (verdict === "store") {
      current.set(name, next);
      stored.set(name, next);
      held.delete(name);
    }
    return { next, current: before, verdict };
  });
  const settled = [...stored.values()].filter((rate) => heldBefore.has(pairName(rate)));
  return { judged, stored: [...stored.values()], held: [...held.values()], settled };
}

/** The details of an event about a rate: enough to import it again. */
function figureOf(rate: SourcedRate) {
  return { pair: pairName(rate), rate: rate.rate, as_of: rate.asOf, source: rate.source };
}

function pairOf({ base, quote }: Pair): readonly string[] {
  return [base, quote];
}

/** The placeholders of `rows` rows of `columns` values: `($1, $2), ($3, $4)`. */
function rowsOf(rows: number, columns: number): string {
  const row = (index: number) =>
    Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`).join(", ");
  return Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(", ");
}

function valuesOf({ base, quote, rate, asOf, source }: SourcedRate): readonly string[] {
  return [base, quote, rate, asOf, source];
}

function storedRateOf(row: Row): StoredRate {
  return { ...sourcedRateOf(row), suspendedAt: optionalTextOf(row, "suspended_at") };
}

function sourcedRateOf(row: Row): SourcedRate {
  return {
    base: textOf(row, "base") as AssetSymbol,
    quote: textOf(row, "quote") as AssetSymbol,
    rate: textOf(row, "rate") as Decimal,
    asOf: textOf(row, "as_of") as Instant,
    source: textOf(row, "source"),
  };
}
