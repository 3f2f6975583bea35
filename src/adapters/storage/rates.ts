import type { RateStore } from "../../application/ports.ts";
import type { Decimal } from "../../domain/decimal.ts";
import type { Instant } from "../../domain/instant.ts";
import type { AssetSymbol } from "../../domain/symbol.ts";
import { optionalTextOf, textOf } from "./columns.ts";
import { type Engine, statement } from "./engine.ts";

// A stored rate never goes back in time: an older one updates nothing and returns no row. One of
// the same time replaces it, for that is how a publisher corrects itself.
const STORE_RATE = `
  INSERT INTO rates (base, quote, rate, as_of, source) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (base, quote) DO UPDATE
    SET rate = excluded.rate, as_of = excluded.as_of, source = excluded.source
    WHERE rates.as_of <= excluded.as_of
  RETURNING as_of`;

const STANDING_TIME = "SELECT as_of FROM rates WHERE base = $1 AND quote = $2";

const LIST_RATES = `
  SELECT base, quote, rate, as_of, source, suspended_at FROM rates
  WHERE $1 IS NULL OR base = $1 ORDER BY base, quote`;

const HAS_RATES = "SELECT 1 FROM rates LIMIT 1";

const SUSPEND_RATE = `
  UPDATE rates SET suspended_at = $3 WHERE base = $1 AND quote = $2 RETURNING base`;

export function rateStore(engine: Engine): RateStore {
  return {
    storeRates: (rates) =>
      engine.transaction(function* () {
        const standing: (Instant | undefined)[] = [];
        for (const { base, quote, rate, asOf, source } of rates) {
          const stored = yield statement(STORE_RATE, base, quote, rate, asOf, source);
          const [newer] = stored.length > 0 ? [] : yield statement(STANDING_TIME, base, quote);
          standing.push(newer && (textOf(newer, "as_of") as Instant));
        }
        return standing;
      }),

    async listRates(base) {
      const rows = await engine.query(LIST_RATES, base ?? null);
      return rows.map((row) => ({
        base: textOf(row, "base") as AssetSymbol,
        quote: textOf(row, "quote") as AssetSymbol,
        rate: textOf(row, "rate") as Decimal,
        asOf: textOf(row, "as_of") as Instant,
        source: textOf(row, "source"),
        suspendedAt: optionalTextOf(row, "suspended_at"),
      }));
    },

    async hasRates() {
      return (await engine.query(HAS_RATES)).length > 0;
    },

    async suspendRate({ base, quote }, at) {
      return (await engine.query(SUSPEND_RATE, base, quote, at ?? null)).length === 1;
    },
  };
}
