import type { Action } from "../../platform/audit/rules.ts";
import { writeEvent } from "../../platform/audit/sql.ts";
import type { Decimal } from "../../platform/shared/decimal.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import { integerOf, optionalTextOf, type Tables, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { figureOf } from "./figures.ts";
import { addDocuments, renewHeaders } from "./headers-sql.ts";
import type { Disagreement } from "./rules/disagreement.ts";
import { type Pair, pairName } from "./rules/symbol.ts";
import type { SourcedRate } from "./rules/update-policy.ts";
import { eventDetailsOf } from "./sql/held.ts";
import { dropFigure } from "./sql/set-aside.ts";
import type { HeldRate, RateStore, StoredRate } from "./store.ts";
import {
  COUNT_CHANGE,
  previewRates,
  readPosition,
  readSourcedRate,
  storeRate,
  updateRates,
} from "./update-sql.ts";
import { RATES_LOCK, SET_VALIDATORS, TAKE_HELD_RATE } from "./update-statements-sql.ts";

export const rateTables: Tables = {
  rates: {
    key: "base, quote",
    others: "rate, as_of, source, suspended_at, observation, headers, signing_key",
  },
  held_rates: {
    key: "base, quote",
    others: "rate, as_of, source, held_at, publication, place, line, disagreement",
  },
  signing_keys: { key: "id", others: "public_key, created_at" },
  versions: { key: "name", others: "version" },
};

const LIST_HELD_RATES = `
  SELECT h.base, h.quote, h.rate, h.as_of, h.source, h.held_at, h.disagreement,
    r.rate AS served_rate, d.hash, (
      SELECT max(f.date) FROM figures f WHERE f.base = h.base AND f.quote = h.quote
        AND f.source = h.source AND f.as_of = h.as_of AND f.rate = h.rate) AS date
  FROM held_rates h LEFT JOIN rates r ON r.base = h.base AND r.quote = h.quote
  LEFT JOIN publication_documents d ON d.publication = h.publication AND d.place = h.place
  ORDER BY h.base, h.quote`;

const LIST_RATES = `
  SELECT base, quote, rate, as_of, source, suspended_at FROM rates
  WHERE base = $1 OR $1 IS NULL ORDER BY base, quote`;

const HAS_RATES = "SELECT 1 FROM rates LIMIT 1";

const SUSPEND_RATE = `
  UPDATE rates SET suspended_at = $3 WHERE base = $1 AND quote = $2 RETURNING observation`;

const REMOVE_RATE = `
  DELETE FROM rates WHERE base = $1 AND quote = $2
  RETURNING base, quote, rate, as_of, source, suspended_at, observation`;

export function rateStore(engine: Engine): RateStore {
  const setSuspended = (pair: Pair, at: string | null, action: Action, origin: Origin) =>
    engine.transaction(function* () {
      const [row] = yield statement(SUSPEND_RATE, pair.base, pair.quote, at);
      if (row === undefined) return false;
      const details = { pair: pairName(pair), ...(yield* countChangeOf(row)) };
      yield writeEvent(action, origin, { details });
      return true;
    });

  return {
    async update(rates, how) {
      const { maxRowsPerStatement } = engine;
      const headersOf = await how.headersOf.rates(rates, how.origin.at);
      const steps = () => updateRates(maxRowsPerStatement, rates, how, headersOf);
      return engine.transaction(steps, RATES_LOCK);
    },

    async seed(rates, how) {
      const headersOf = await how.headersOf.rates(rates, how.origin.at);
      return engine.transaction(function* () {
        // Nodes that start together wait for the first one here, one behind the other.
        if ((yield statement(HAS_RATES)).length > 0) return false;
        yield* updateRates(engine.maxRowsPerStatement, rates, how, headersOf);
        return true;
      }, RATES_LOCK);
    },

    previewUpdate(rates, policy, maxDisagreement) {
      const how = { policy, maxDisagreement };
      return engine.transaction(() => previewRates(engine.maxRowsPerStatement, rates, how));
    },

    async listHeld() {
      return (await engine.query(LIST_HELD_RATES)).map(readHeldRate);
    },

    releaseHeld: ({ base, quote }, headersOf, origin, rate) =>
      engine.transaction(function* () {
        const [row] = yield statement(TAKE_HELD_RATE, base, quote, rate ?? null);
        if (row === undefined) return undefined;
        const held = readSourcedRate(row);
        const stored = { ...held, ...readPosition(row) };
        const headers = (rate: SourcedRate) => headersOf.rate(rate, origin.at);
        yield* storeRate(stored, integerOf(row, "publication"), headers, origin.at);
        const details = eventDetailsOf(held);
        yield writeEvent("rate.released", origin, { details });
        return held;
      }, RATES_LOCK),

    dropHeld: ({ base, quote }, origin) =>
      engine.transaction(function* () {
        const [row] = yield statement(TAKE_HELD_RATE, base, quote, null);
        if (row === undefined) return false;
        const held = readSourcedRate(row);
        yield* dropFigure(held, origin.at);
        yield writeEvent("rate.dropped", origin, { details: eventDetailsOf(held) });
        return true;
      }, RATES_LOCK),

    renewHeaders: (which, headersOf, now) => renewHeaders(engine, which, headersOf, now),
    addDocuments: () => addDocuments(engine),

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
        const [heldRow] = yield statement(TAKE_HELD_RATE, base, quote, null);
        yield statement(SET_VALIDATORS, rate.source, null);
        const details = { ...eventDetailsOf(rate), ...(yield* countChangeOf(row)) };
        yield writeEvent("rate.deleted", origin, { details });
        const held = heldRow && readSourcedRate(heldRow);
        if (held !== undefined) yield* dropFigure(held, origin.at);
        return { rate, held };
      }, RATES_LOCK),
  };
}

function readHeldRate(row: Row): HeldRate {
  const rate = readSourcedRate(row);
  const held = {
    ...rate,
    date: optionalTextOf(row, "date") ?? figureOf(rate).date,
    heldAt: textOf(row, "held_at"),
    servedRate: optionalTextOf(row, "served_rate") as Decimal | undefined,
  };
  const text = optionalTextOf(row, "disagreement");
  if (text === undefined) return held;
  const document = optionalTextOf(row, "hash") ?? null;
  return { ...held, disagreement: { ...(JSON.parse(text) as Disagreement), document } };
}

function storedRateOf(row: Row): StoredRate {
  return { ...readSourcedRate(row), suspendedAt: optionalTextOf(row, "suspended_at") };
}

/**
 * Counts a change of a pair. @returns the details that give its event a place among the pair's
 * observations and other changes, whatever the clock says.
 */
function* countChangeOf(
  rateRow: Row,
): Transaction<{ readonly observation: number; readonly change: number }> {
  const [row] = yield statement(COUNT_CHANGE);
  return {
    observation: integerOf(rateRow, "observation"),
    change: integerOf(row ?? {}, "version"),
  };
}
