import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the National Bank of Ukraine's hryvnias per 10 or 1,000 units have their point moved", () => {
  const lines = parse("nbu");
  assert.deepEqual(figuresOf(lines), [
    "JPY/UAH 0.27705",
    "USD/UAH 44.1381",
    "VND/UAH 0.0016789",
    "XAU/UAH 225912.48",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the National Bank of Ukraine's rates are dated 00:00 in Kyiv, in summer and winter time", () => {
  assert.deepEqual(momentsOf(parse("nbu")), ["2026-03-15T22:00:00.000000000Z"]);
  const other = parseWith("nbu", "16.03.2026", "16.07.2025");
  assert.deepEqual(momentsOf(other), ["2025-07-15T21:00:00.000000000Z"]);
});

const oddRows = [
  ['"units":10,', '"units":15,', '"JPY/UAH" is not for a power of ten of units'],
  ['"rate":2.7705', '"rate":"2,7705"', '"JPY/UAH": "2,7705" is not a decimal number above zero'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the National Bank of Ukraine with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("nbu", from, to);
    assert.equal(figuresOf(lines).length, 3);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
