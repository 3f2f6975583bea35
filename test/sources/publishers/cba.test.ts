import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Central Bank of Armenia's drams have their point moved, and a gram of gold is left out", () => {
  const lines = parse("cba");
  assert.deepEqual(figuresOf(lines), ["USD/AMD 377.39", "IRR/AMD 0.00028677", "UZS/AMD 0.031003"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Central Bank of Armenia's rates are dated 17:00 in Yerevan, all year", () => {
  assert.deepEqual(momentsOf(parse("cba")), ["2026-03-18T13:00:00.000000000Z"]);
  const other = parseWith("cba", "CurrentDate>2026-03-18", "CurrentDate>2025-07-18");
  assert.deepEqual(momentsOf(other), ["2025-07-18T13:00:00.000000000Z"]);
});

const oddRows = [
  ["<Amount>100<", "<Amount>150<", '"IRR/AMD" is not for a power of ten of units'],
  ["<Rate>0.028677</Rate>", "", '"IRR/AMD" has no rate'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the Central Bank of Armenia with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("cba", from, to);
    assert.equal(figuresOf(lines).length, 2);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
