import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("Macao's patacas per 100 units have their point moved, and the measure of liquidity is left out", () => {
  const lines = parse("amcm");
  assert.deepEqual(figuresOf(lines), ["GBP/MOP 10.8350", "JPY/MOP 0.050727", "USD/MOP 8.0705"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("Macao's rates are dated 17:00 there, all year", () => {
  assert.deepEqual(momentsOf(parse("amcm")), ["2026-05-22T09:00:00.000000000Z"]);
  const other = parseWith("amcm", '"date":"2026-05-22', '"date":"2026-12-22');
  assert.deepEqual(momentsOf(other), ["2026-12-22T09:00:00.000000000Z"]);
});

const oddRows = [
  ['"unit":100.0', '"unit":50.0', '"JPY/MOP" is not for a power of ten of units'],
  ['"usdMean":"5.0727"', '"usdMean":null', '"JPY/MOP" has no rate'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the Monetary Authority of Macao with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("amcm", from, to);
    assert.equal(figuresOf(lines).length, 2);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
