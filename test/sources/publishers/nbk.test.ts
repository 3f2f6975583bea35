import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the National Bank of Kazakhstan's tenge per 1,000 units have their point moved", () => {
  const lines = parse("nbk");
  assert.deepEqual(figuresOf(lines), ["USD/KZT 478.77", "IRR/KZT 0.0004", "JPY/KZT 3"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the National Bank of Kazakhstan's rates are dated 00:00 in Almaty, all year", () => {
  assert.deepEqual(momentsOf(parse("nbk")), ["2026-03-31T19:00:00.000000000Z"]);
  const other = parseWith("nbk", "01.04.2026", "01.12.2025");
  assert.deepEqual(momentsOf(other), ["2025-11-30T19:00:00.000000000Z"]);
});

const oddRows = [
  ["<quant>1000<", "<quant>500<", '"IRR/KZT" is not for a power of ten of units'],
  ["<description>0.4</description>", "", '"IRR/KZT" has no rate'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the National Bank of Kazakhstan with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("nbk", from, to);
    assert.equal(figuresOf(lines).length, 2);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
