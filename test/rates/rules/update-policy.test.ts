import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePair } from "../../../src/rates/rules/symbol.ts";
import { createUpdatePolicy, type SourcedRate } from "../../../src/rates/rules/update-policy.ts";
import { type Decimal, movePoint, ratioExceeds } from "../../../src/shared/decimal.ts";
import type { Instant } from "../../../src/shared/instant.ts";
import { fc } from "../../support/properties.ts";

const HALF = "0.5" as Decimal;
const judge = createUpdatePolicy({ rateSources: ["ecb", "cnb"], maxRateJump: HALF });

function rate(change: { rate?: string; asOf?: string; source?: string } = {}): SourcedRate {
  const pair = parsePair("EUR", "CZK");
  assert.ok(pair !== undefined);
  const {
    rate: figure = "24.00",
    asOf = "2026-11-20T15:00:00.000000000Z",
    source = "ecb",
  } = change;
  return { ...pair, rate: figure as Decimal, asOf: asOf as Instant, source };
}

const LATER = "2026-11-21T15:00:00.000000000Z";
const EARLIER = "2026-11-20T14:59:59.999999999Z";

test("the first rate of a pair is stored, whatever it is", () => {
  assert.equal(judge(undefined, rate({ rate: "0.0000001" })), "store");
});

test("a later rate is stored, and so is a correction of the same time", () => {
  assert.equal(judge(rate(), rate({ asOf: LATER })), "store");
  assert.equal(judge(rate(), rate({ rate: "24.01" })), "store");
});

test("the same rate again is unchanged; a zero more is a correction", () => {
  assert.equal(judge(rate(), rate()), "unchanged");
  assert.equal(judge(rate(), rate({ rate: "24.000" })), "store");
});

test("an older rate is refused, by a nanosecond too", () => {
  const reason = "EUR/CZK is stored as of 2026-11-20T15:00:00.000000000Z, which is newer";
  assert.deepEqual(judge(rate(), rate({ asOf: EARLIER })), { reason });
});

test("a pair changes hands only when its owner is switched off", () => {
  const next = rate({ source: "cnb", asOf: LATER });
  assert.deepEqual(judge(rate(), next), { reason: "EUR/CZK is published by ecb" });
  const withoutEcb = createUpdatePolicy({ rateSources: ["cnb"], maxRateJump: HALF });
  assert.equal(withoutEcb(rate(), next), "store");
});

test("the order of precedence takes no pair away from its owner", () => {
  assert.deepEqual(judge(rate({ source: "cnb" }), rate({ asOf: LATER })), {
    reason: "EUR/CZK is published by cnb",
  });
});

test("an import replaces a source's rate, and the source's next one the import", () => {
  assert.equal(judge(rate(), rate({ source: "import", asOf: LATER })), "store");
  assert.equal(judge(rate({ source: "import" }), rate({ asOf: LATER })), "store");
});

test("to under half or over 1.5 times the last is held; half and 1.5 times are not", () => {
  const verdict = (figure: string) => judge(rate(), rate({ rate: figure, asOf: LATER }));
  assert.equal(verdict("12.00"), "store");
  assert.equal(verdict("36.00"), "store");
  assert.equal(verdict("11.9999999999999999999999"), "hold");
  assert.equal(verdict("36.0000000000000000000001"), "hold");
});

test("the coin at 38.87 instead of 0.0000108 is held", () => {
  const standing = rate({ rate: "0.0000108" });
  assert.equal(judge(standing, rate({ rate: "38.87", asOf: LATER })), "hold");
});

test("a change is compared exactly, however many digits there are", () => {
  const units = fc.bigInt({ min: 1n, max: 10n ** 24n });
  const places = fc.integer({ min: 0, max: 20 });
  fc.assert(
    fc.property(units, places, units, places, (from, fromPlaces, to, toPlaces) => {
      const moved = (value: bigint, by: number) => movePoint(String(value) as Decimal, -by);
      // Both in units of the 20th place.
      const start = from * 10n ** BigInt(20 - fromPlaces);
      const end = to * 10n ** BigInt(20 - toPlaces);
      const expected = 2n * (end > start ? end - start : start - end) > start;
      assert.equal(ratioExceeds(moved(from, fromPlaces), moved(to, toPlaces), HALF), expected);
    }),
  );
});
