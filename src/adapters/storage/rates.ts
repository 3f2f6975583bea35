import type { HeldRate, Judged, RateStore } from "../../application/ports.ts";
import type { Decimal } from "../../domain/decimal.ts";
import type { Instant } from "../../domain/instant.ts";
import type { SourcedRate, Succession, Verdict } from "../../domain/succession.ts";
import type { AssetSymbol, Pair } from "../../domain/symbol.ts";
import { optionalTextOf, textOf } from "./columns.ts";
import { type Engine, type Row, statement } from "./engine.ts";

const STANDING_RATE = `
  SELECT r.base, r.quote, r.rate, r.as_of, r.source, h.held_at
  FROM rates r LEFT JOIN held_rates h ON h.base = r.base AND h.quote = r.quote
  WHERE r.base = $1 AND r.quote = $2`;

const STORE_RATE = `
  INSERT INTO rates (base, quote, rate, as_of, source) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (base, quote) DO UPDATE
    SET rate = excluded.rate, as_of = excluded.as_of, source = excluded.source`;

const HOLD_RATE = `
  INSERT INTO held_rates (base, quote, rate, as_of, source, held_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (base, quote) DO UPDATE
    SET rate = excluded.rate, as_of = excluded.as_of, source = excluded.source,
      held_at = excluded.held_at`;

const TAKE_HELD_RATE = `
  DELETE FROM held_rates WHERE base = $1 AND quote = $2
  RETURNING base, quote, rate, as_of, source`;

const LIST_HELD_RATES = `
  SELECT h.base, h.quote, h.rate, h.as_of, h.source, h.held_at, r.rate AS standing
  FROM held_rates h JOIN rates r ON r.base = h.base AND r.quote = h.quote
  ORDER BY h.base, h.quote`;

const LIST_RATES = `
  SELECT base, quote, rate, as_of, source, suspended_at FROM rates
  WHERE $1 IS NULL OR base = $1 ORDER BY base, quote`;

const HAS_RATES = "SELECT 1 FROM rates LIMIT 1";

const SUSPEND_RATE = `
  UPDATE rates SET suspended_at = $3 WHERE base = $1 AND quote = $2 RETURNING base`;

export function rateStore(engine: Engine): RateStore {
  return {
    storeRates: (rates, judge, now) =>
      engine.transaction(function* () {
        const verdicts: Verdict[] = [];
        for (const next of rates) {
          const { verdict, isHeld } = yield* judged(next, judge);
          if (verdict === "hold") yield statement(HOLD_RATE, ...valuesOf(next), now);
          if (verdict === "store") {
            yield statement(STORE_RATE, ...valuesOf(next));
            if (isHeld) yield statement(TAKE_HELD_RATE, next.base, next.quote);
          }
          verdicts.push(verdict);
        }
        return verdicts;
      }),

    judgeRates: (rates, judge) =>
      engine.transaction(function* () {
        const all: Judged[] = [];
        for (const next of rates) {
          const { standing, verdict } = yield* judged(next, judge);
          all.push({ next, standing, verdict });
        }
        return all;
      }),

    async listHeldRates() {
      return (await engine.query(LIST_HELD_RATES)).map(
        (row): HeldRate => ({
          ...sourcedRateOf(row),
          heldAt: textOf(row, "held_at"),
          standing: textOf(row, "standing") as Decimal,
        }),
      );
    },

    releaseRate: ({ base, quote }) =>
      engine.transaction(function* () {
        const [row] = yield statement(TAKE_HELD_RATE, base, quote);
        if (row === undefined) return undefined;
        const held = sourcedRateOf(row);
        yield statement(STORE_RATE, ...valuesOf(held));
        return held;
      }),

    async dropHeldRate({ base, quote }) {
      return (await engine.query(TAKE_HELD_RATE, base, quote)).length === 1;
    },

    async listRates(base) {
      const rows = await engine.query(LIST_RATES, base ?? null);
      return rows.map((row) => ({
        ...sourcedRateOf(row),
        suspendedAt: optionalTextOf(row, "suspended_at"),
      }));
    },

    async hasRates() {
      return (await engine.query(HAS_RATES)).length > 0;
    },

    async suspendRate({ base, quote }: Pair, at) {
      return (await engine.query(SUSPEND_RATE, base, quote, at ?? null)).length === 1;
    },
  };
}

function* judged(next: SourcedRate, judge: Succession) {
  const [row]: Row[] = yield statement(STANDING_RATE, next.base, next.quote);
  const standing = row && sourcedRateOf(row);
  const isHeld = row !== undefined && row.held_at !== null;
  return { standing, isHeld, verdict: judge(standing, next) };
}

function valuesOf({ base, quote, rate, asOf, source }: SourcedRate): readonly string[] {
  return [base, quote, rate, asOf, source];
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
