import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Central Bank of Uzbekistan's sums per 10 units have their point moved", () => {
  const lines = parse("cbu");
  assert.deepEqual(figuresOf(lines), ["USD/UZS 12194.21", "VND/UZS 0.463", "XDR/UZS 16557.42"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Central Bank of Uzbekistan's rates are dated 00:00 in Tashkent, all year", () => {
  assert.deepEqual(momentsOf(parse("cbu")), ["2026-03-31T19:00:00.000000000Z"]);
  const other = parseWith("cbu", "01.04.2026", "01.12.2025");
  assert.deepEqual(momentsOf(other), ["2025-11-30T19:00:00.000000000Z"]);
});

const oddRows = [
  ['"Nominal":"10"', '"Nominal":"0"', '"VND/UZS" is not for a power of ten of units'],
  ['"Rate":"4.63"', '"Rate":""', '"VND/UZS": "" is not a decimal number above zero'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the Central Bank of Uzbekistan with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("cbu", from, to);
    assert.equal(figuresOf(lines).length, 2);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
