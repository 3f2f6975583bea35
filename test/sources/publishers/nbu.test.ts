import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the National Bank of Ukraine's hryvnias per 10 units have their point moved", () => {
  const lines = parse("nbu");
  assert.deepEqual(figuresOf(lines), ["USD/UAH 41.3955", "JPY/UAH 0.2907"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the National Bank of Ukraine's rates are dated 00:00 in Kyiv, in summer and winter time", () => {
  assert.deepEqual(momentsOf(parse("nbu")), ["2025-04-20T21:00:00.000000000Z"]);
  const other = parseWith("nbu", "21.04.2025", "21.01.2025");
  assert.deepEqual(momentsOf(other), ["2025-01-20T22:00:00.000000000Z"]);
});

const oddRows = [
  ['"Units": 10', '"Units": 15', 'the rate of "JPY" is not for a power of ten of units'],
  [
    '"Amount": 2.907',
    '"Amount": "2,907"',
    'the rate of "JPY": "2,907" is not a decimal number above zero',
  ],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the National Bank of Ukraine with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("nbu", from, to);
    assert.equal(figuresOf(lines).length, 1);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
