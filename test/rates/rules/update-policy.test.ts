import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePair } from "../../../src/rates/rules/symbol.ts";
import { createUpdatePolicy, type SourcedRate } from "../../../src/rates/rules/update-policy.ts";
import { type Decimal, movePoint, ratioExceeds } from "../../../src/shared/decimal.ts";
import type { Instant } from "../../../src/shared/instant.ts";
import { fc } from "../../support/properties.ts";

const HALF = "0.5" as Decimal;
const decide = createUpdatePolicy({ rateSources: ["ecb", "cnb"], maxRateJump: HALF });

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

test("the first rate of a pair is stored, whatever its value", () => {
  assert.equal(decide(undefined, rate({ rate: "0.0000001" })), "store");
});

test("a later rate and a correction with the same time are stored", () => {
  assert.equal(decide(rate(), rate({ asOf: LATER })), "store");
  assert.equal(decide(rate(), rate({ rate: "24.01" })), "store");
});

test("the same rate again is unchanged; a further zero is a correction", () => {
  assert.equal(decide(rate(), rate()), "unchanged");
  assert.equal(decide(rate(), rate({ rate: "24.000" })), "store");
});

test("the same figure from another source is stored: it names who publishes the pair", () => {
  assert.equal(decide(rate({ source: "import" }), rate()), "store");
  assert.equal(decide(rate(), rate({ source: "import" })), "store");
});

test("an older rate replaces none, even if older by a nanosecond", () => {
  assert.equal(decide(rate(), rate({ asOf: EARLIER })), "older");
});

test("a pair gets a new owner only when its owner is switched off", () => {
  const next = rate({ source: "cnb", asOf: LATER });
  assert.equal(decide(rate(), next), "foreign");
  const withoutEcb = createUpdatePolicy({ rateSources: ["cnb"], maxRateJump: HALF });
  assert.equal(withoutEcb(rate(), next), "store");
});

test("a source with higher precedence does not take a pair from its owner", () => {
  assert.equal(decide(rate({ source: "cnb" }), rate({ asOf: LATER })), "foreign");
});

test("an import replaces a source's rate, and the source's next rate replaces the import", () => {
  assert.equal(decide(rate(), rate({ source: "import", asOf: LATER })), "store");
  assert.equal(decide(rate({ source: "import" }), rate({ asOf: LATER })), "store");
});

test("under half and over 1.5 times the stored rate is held; half and 1.5 times are not", () => {
  const decisionFor = (figure: string) => decide(rate(), rate({ rate: figure, asOf: LATER }));
  assert.equal(decisionFor("12.00"), "store");
  assert.equal(decisionFor("36.00"), "store");
  assert.equal(decisionFor("11.9999999999999999999999"), "hold");
  assert.equal(decisionFor("36.0000000000000000000001"), "hold");
});

test("a coin at 38.87 instead of 0.0000108 is held", () => {
  const current = rate({ rate: "0.0000108" });
  assert.equal(decide(current, rate({ rate: "38.87", asOf: LATER })), "hold");
});

test("a change is compared exactly with any number of digits", () => {
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
