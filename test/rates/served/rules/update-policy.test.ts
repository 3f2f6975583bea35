import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Decimal, ratioExceeds } from "../../../../src/platform/shared/decimal.ts";
import type { Instant } from "../../../../src/platform/shared/instant.ts";
import { parsePair } from "../../../../src/rates/served/rules/symbol.ts";
import {
  createUpdatePolicy,
  IMPORT_SOURCE,
  importSource,
  isImport,
  type SourcedRate,
  type UpdateDecision,
} from "../../../../src/rates/served/rules/update-policy.ts";
import { fc } from "../../../support/properties.ts";

const HALF = "0.5" as Decimal;
const TIME = "2026-03-13T15:00:00.000000000Z";
const times = {
  earlier: "2026-03-13T14:59:59.999999999Z",
  "then, too": TIME,
  later: "2026-03-13T15:00:00.000000001Z",
};

/** @param text such as `ecb 1.10` */
function rateOf(text: string, asOf = TIME): SourcedRate {
  const [source = "", rate] = text.split(" ");
  const pair = parsePair("EUR", "USD");
  assert.ok(pair !== undefined);
  return { ...pair, rate: rate as Decimal, asOf: asOf as Instant, source };
}

type Decision = readonly [
  current: string,
  when: keyof typeof times,
  next: string,
  decision: UpdateDecision,
  rateSources?: string,
  maxRateJump?: string,
];

const decisions: Readonly<Record<string, readonly Decision[]>> = {
  "a later rate and a correction with the same time are stored": [
    ["ecb 1.10", "later", "ecb 1.10", "store"],
    ["ecb 1.10", "then, too", "ecb 1.11", "store"],
  ],
  "the same rate again is unchanged; a further zero is a correction": [
    ["ecb 1.10", "then, too", "ecb 1.10", "unchanged"],
    ["ecb 1.10", "then, too", "ecb 1.100", "store"],
  ],
  "the same figure from another source is stored: it names who publishes the pair": [
    ["boc 1.10", "then, too", "ecb 1.10", "store"],
    ["import 1.10", "then, too", "ecb 1.10", "store"],
    ["ecb 1.10", "then, too", "import 1.10", "store"],
  ],
  "an older rate replaces none, even if older by a nanosecond and however far it jumps": [
    ["ecb 1.10", "earlier", "ecb 1.10", "older"],
    ["ecb 1.10", "earlier", "ecb 9", "older"],
  ],
  "a pair gets a new owner only when its owner is off, and neither an older rate nor a jump": [
    ["ecb 1.10", "later", "cnb 1.11", "foreign"],
    ["ecb 1.10", "earlier", "cnb 9", "foreign"],
    ["ecb 1.10", "later", "cnb 1.11", "store", "cnb"],
    ["ecb 1.10", "earlier", "cnb 1.11", "older", "cnb"],
    ["ecb 1.10", "later", "cnb 2.00", "hold", "cnb"],
  ],
  "a source with higher precedence does not take a pair from its owner": [
    ["cnb 1.10", "later", "ecb 1.11", "foreign"],
  ],
  "an import replaces the rate of any source, and any source's next rate replaces an import": [
    ["ecb 1.10", "later", "import 1.11", "store"],
    ["ecb 1.10", "then, too", "import:closing 1.11", "store"],
    ["import 1.11", "then, too", "ecb 1.10", "store"],
    ["import 1.11", "later", "cnb 1.12", "store"],
    ["import:closing 1.11", "then, too", "ecb 1.10", "store"],
    ["import:closing 1.11", "then, too", "import 1.11", "store"],
  ],
  "an import and its replacement are not stored when older and held when they jump": [
    ["ecb 1.1", "earlier", "import 1.1", "older"],
    ["ecb 1.1", "later", "import 38.87", "hold"],
    ["import 1.1", "earlier", "ecb 1.1", "older"],
    ["import 1.1", "later", "ecb 38.87", "hold"],
    ["import 1.1", "earlier", "import 1.1", "older"],
    ["import 1.1", "later", "import 38.87", "hold"],
  ],
  "half and 1.5 times the stored rate are no jump, and one digit beyond is": [
    ["ecb 1.10", "later", "ecb 0.55", "store"],
    ["ecb 1.10", "later", "ecb 1.650000000000000000000000000000", "store"],
    ["ecb 1.10", "later", "ecb 0.549999999999999999999999999999", "hold"],
    ["ecb 1.10", "later", "ecb 1.650000000000000000000000000001", "hold"],
    ["ecb 0.0000108", "then, too", "ecb 38.87", "hold"],
  ],
  "the operator's limit for jumps applies, also above 1": [
    ["ecb 2", "later", "ecb 2.02", "store", "ecb", "0.01"],
    ["ecb 2", "later", "ecb 2.021", "hold", "ecb", "0.01"],
    ["ecb 2", "later", "ecb 0.0000001", "store", "ecb", "3"],
    ["ecb 2", "later", "ecb 8", "store", "ecb", "3"],
    ["ecb 2", "later", "ecb 8.0001", "hold", "ecb", "3"],
  ],
};

suite("of a rate and the stored one", () => {
  for (const [title, rows] of Object.entries(decisions)) {
    test(title, () => {
      for (const [current, when, next, decision, rateSources = "ecb cnb", jump = HALF] of rows) {
        const settings = { rateSources: rateSources.split(" "), maxRateJump: jump as Decimal };
        const decide = createUpdatePolicy(settings);
        const made = decide(rateOf(current), rateOf(next, times[when]));
        assert.equal(made, decision, `${current}, ${when} ${next}`);
      }
    });
  }

  test("the first rate of a pair is stored, whatever its value", () => {
    const decide = createUpdatePolicy({ rateSources: ["ecb"], maxRateJump: HALF });
    assert.equal(decide(undefined, rateOf("ecb 0.0000001")), "store");
  });

  test("the sources of imports are named", () => {
    assert.equal(importSource("closing"), "import:closing");
    assert.equal(importSource("import"), IMPORT_SOURCE);
    const sources = ["import", "import:closing", "imports", "ecb"];
    assert.deepEqual(sources.map(isImport), [true, true, false, false]);
  });
});

/** A decimal above zero as a multiple of its last place. */
const figures = fc.record({ count: fc.bigInt({ min: 1n, max: 10n ** 30n }), places: fc.nat(25) });

function written({ count, places }: { count: bigint; places: number }): Decimal {
  if (places === 0) return String(count) as Decimal;
  const text = String(count).padStart(places + 1, "0");
  return `${text.slice(0, -places)}.${text.slice(-places)}` as Decimal;
}

const SCALE = 10n ** 60n;

test("the comparison with the limit equals integer arithmetic, with any trailing zeros", () => {
  const parts = fc.record({ count: fc.bigInt({ min: 1n, max: 300n }), places: fc.nat(3) });
  fc.assert(
    fc.property(figures, figures, parts, fc.nat(10), (from, to, part, zeros) => {
      const start = (from.count * SCALE) / 10n ** BigInt(from.places);
      const end = (to.count * SCALE) / 10n ** BigInt(to.places);
      const change = end > start ? end - start : start - end;
      const limit = (start * part.count) / 10n ** BigInt(part.places);
      const longer = { count: to.count * 10n ** BigInt(zeros), places: to.places + zeros };
      assert.equal(ratioExceeds(written(from), written(longer), written(part)), change > limit);
    }),
    { numRuns: 1000 },
  );
});

test("the limit itself is not a jump, and one digit further is", () => {
  fc.assert(
    fc.property(figures, ({ count, places }) => {
      const last = written({ count, places });
      // Two places more make half of the rate a whole number: 50 of 100.
      const at = (bound: bigint) => written({ count: bound, places: places + 2 });
      const exceeds = (bound: bigint) => ratioExceeds(last, at(bound), HALF);
      const [low, high] = [count * 50n, count * 150n];
      assert.deepEqual([exceeds(low), exceeds(high)], [false, false]);
      assert.deepEqual([exceeds(low - 1n), exceeds(high + 1n)], [true, true]);
    }),
    { numRuns: 1000 },
  );
});
