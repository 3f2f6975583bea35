import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssetSymbol } from "../../../src/rates/rules/symbol.ts";
import {
  createUpdatePolicy,
  IMPORT_SOURCE,
  importSource,
  isImport,
  type SourcedRate,
  type UpdateDecision,
} from "../../../src/rates/rules/update-policy.ts";
import { type Decimal, ratioExceeds } from "../../../src/shared/decimal.ts";
import type { Instant } from "../../../src/shared/instant.ts";
import { fc } from "../../support/properties.ts";

const EARLIER = "2026-03-12T15:00:00.000000000Z";
const TIME = "2026-03-13T15:00:00.000000000Z";
const LATER = "2026-03-13T15:00:00.000000001Z";

function rateOf(source: string, rate: string, asOf = TIME): SourcedRate {
  const pair = { base: "EUR" as AssetSymbol, quote: "USD" as AssetSymbol };
  return { ...pair, rate: rate as Decimal, asOf: asOf as Instant, source };
}

function decide(
  current: SourcedRate | undefined,
  next: SourcedRate,
  rateSources: readonly string[] = ["ecb", "cnb"],
  maxRateJump = "0.5",
): UpdateDecision {
  return createUpdatePolicy({ rateSources, maxRateJump: maxRateJump as Decimal })(current, next);
}

test("the same rate and time from another source is not a repetition", () => {
  assert.equal(decide(rateOf("boc", "1.10"), rateOf("ecb", "1.10")), "store");
});

test("a pair that gets a new owner accepts neither an older rate nor a jump", () => {
  const current = rateOf("ecb", "1.10");
  assert.equal(decide(current, rateOf("cnb", "1.11", EARLIER), ["cnb"]), "older");
  assert.equal(decide(current, rateOf("cnb", "2.00", LATER), ["cnb"]), "hold");
});

test("the owner of the pair is checked before the age of the rate", () => {
  const outcome = decide(rateOf("ecb", "1.10"), rateOf("cnb", "9", EARLIER));
  assert.equal(outcome, "foreign");
});

test("an older rate is not held, however far it jumps", () => {
  const outcome = decide(rateOf("ecb", "1.10"), rateOf("ecb", "9", EARLIER));
  assert.equal(outcome, "older");
});

test("an import replaces the rate of any source, and any source's next rate replaces an import", () => {
  assert.equal(decide(rateOf("ecb", "1.10"), rateOf(IMPORT_SOURCE, "1.11")), "store");
  assert.equal(decide(rateOf(IMPORT_SOURCE, "1.11"), rateOf("ecb", "1.10")), "store");
  assert.equal(decide(rateOf(IMPORT_SOURCE, "1.11"), rateOf("cnb", "1.12", LATER)), "store");
});

test("an import with a series of its own is an import, also beside others", () => {
  const own = importSource("closing");
  assert.equal(own, "import:closing");
  assert.equal(decide(rateOf("ecb", "1.10"), rateOf(own, "1.11")), "store");
  assert.equal(decide(rateOf(own, "1.11"), rateOf("ecb", "1.10")), "store");
  assert.equal(decide(rateOf(own, "1.11"), rateOf(IMPORT_SOURCE, "1.11")), "store");
  assert.equal(importSource("import"), IMPORT_SOURCE);
  assert.deepEqual(["import", own, "imports", "ecb"].map(isImport), [true, true, false, false]);
});

test("an import and its replacement are not stored when older and held when they jump", () => {
  for (const [from, to] of [
    ["ecb", IMPORT_SOURCE],
    [IMPORT_SOURCE, "ecb"],
    [IMPORT_SOURCE, IMPORT_SOURCE],
  ] as const) {
    assert.equal(decide(rateOf(from, "1.1"), rateOf(to, "1.1", EARLIER)), "older");
    assert.equal(decide(rateOf(from, "1.1"), rateOf(to, "38.87", LATER)), "hold");
  }
});

test("half and 1.5 times the stored rate are no jump, and one digit beyond is", () => {
  const last = rateOf("ecb", "1.10");
  for (const [figure, outcome] of [
    ["0.55", "store"],
    ["0.550", "store"],
    ["1.65", "store"],
    ["1.650000000000000000000000000000", "store"],
    ["0.549999999999999999999999999999", "hold"],
    ["1.650000000000000000000000000001", "hold"],
  ] as const) {
    assert.equal(decide(last, rateOf("ecb", figure, LATER)), outcome, figure);
  }
});

test("the operator's limit for jumps applies, also above 1", () => {
  const last = rateOf("ecb", "2");
  assert.equal(decide(last, rateOf("ecb", "2.02", LATER), ["ecb"], "0.01"), "store");
  assert.equal(decide(last, rateOf("ecb", "2.021", LATER), ["ecb"], "0.01"), "hold");
  assert.equal(decide(last, rateOf("ecb", "0.0000001", LATER), ["ecb"], "3"), "store");
  assert.equal(decide(last, rateOf("ecb", "8", LATER), ["ecb"], "3"), "store");
  assert.equal(decide(last, rateOf("ecb", "8.0001", LATER), ["ecb"], "3"), "hold");
});

test("a correction with the same time is held when it jumps", () => {
  assert.equal(decide(rateOf("ecb", "1.10"), rateOf("ecb", "38.87")), "hold");
});

/** A decimal above zero as a multiple of its last place. */
const figures = fc.record({
  count: fc.bigInt({ min: 1n, max: 10n ** 30n }),
  places: fc.nat(25),
});

function written({ count, places }: { count: bigint; places: number }): Decimal {
  if (places === 0) return String(count) as Decimal;
  const text = String(count).padStart(places + 1, "0");
  return `${text.slice(0, -places)}.${text.slice(-places)}` as Decimal;
}

const SCALE = 10n ** 60n;

test("the comparison with the limit equals integer arithmetic", () => {
  const parts = fc.record({ count: fc.bigInt({ min: 1n, max: 300n }), places: fc.nat(3) });
  fc.assert(
    fc.property(figures, figures, parts, (from, to, part) => {
      const start = (from.count * SCALE) / 10n ** BigInt(from.places);
      const end = (to.count * SCALE) / 10n ** BigInt(to.places);
      const change = end > start ? end - start : start - end;
      const limit = (start * part.count) / 10n ** BigInt(part.places);
      assert.equal(ratioExceeds(written(from), written(to), written(part)), change > limit);
    }),
    { numRuns: 1000 },
  );
});

test("the limit itself is not a jump, and one digit further is", () => {
  const half = "0.5" as Decimal;
  fc.assert(
    fc.property(figures, ({ count, places }) => {
      const last = written({ count, places });
      // Two places more make half of the rate a whole number: 50 of 100.
      const low = count * 50n;
      const high = count * 150n;
      const at = (bound: bigint) => written({ count: bound, places: places + 2 });
      assert.equal(ratioExceeds(last, at(low), half), false);
      assert.equal(ratioExceeds(last, at(high), half), false);
      assert.equal(ratioExceeds(last, at(low - 1n), half), true);
      assert.equal(ratioExceeds(last, at(high + 1n), half), true);
    }),
    { numRuns: 1000 },
  );
});

test("trailing zeros do not change the decision", () => {
  fc.assert(
    fc.property(figures, figures, fc.nat(10), (from, to, zeros) => {
      const longer = { count: to.count * 10n ** BigInt(zeros), places: to.places + zeros };
      const half = "0.5" as Decimal;
      assert.equal(
        ratioExceeds(written(from), written(longer), half),
        ratioExceeds(written(from), written(to), half),
      );
    }),
  );
});
