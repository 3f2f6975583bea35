import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the National Bank of Moldova's lei per 10 or 100 units have their point moved", () => {
  const lines = parse("nbm");
  assert.deepEqual(figuresOf(lines), ["EUR/MDL 20.2754", "ALL/MDL 0.21172", "UZS/MDL 0.001442"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the National Bank of Moldova's rates are dated 00:00 in Chișinău, in summer and winter time", () => {
  assert.deepEqual(momentsOf(parse("nbm")), ["2026-04-05T21:00:00.000000000Z"]);
  const other = parseWith("nbm", "06.04.2026", "06.01.2026");
  assert.deepEqual(momentsOf(other), ["2026-01-05T22:00:00.000000000Z"]);
});

const oddRows = [
  ["<Nominal>100<", "<Nominal>50<", '"UZS/MDL" is not for a power of ten of units'],
  ["<Value>0.1442<", "<Value>0,1442<", '"UZS/MDL": "0,1442" is not a decimal number above zero'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the National Bank of Moldova with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("nbm", from, to);
    assert.equal(figuresOf(lines).length, 2);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
