import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the National Bank of North Macedonia's denars are per unit", () => {
  const lines = parse("nbrm");
  assert.deepEqual(figuresOf(lines), [
    "EUR/MKD 61.695",
    "JPY/MKD 0.3331",
    "HUF/MKD 0.1737",
    "RSD/MKD 0.5255",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the National Bank of North Macedonia's rates are dated 00:00 in Skopje, in summer and winter time", () => {
  assert.deepEqual(momentsOf(parse("nbrm")), ["2026-05-28T22:00:00.000000000Z"]);
  const other = parseWith("nbrm", '"datum":"2026-05-29', '"datum":"2026-01-29');
  assert.deepEqual(momentsOf(other), ["2026-01-28T23:00:00.000000000Z"]);
});

const oddRows = [
  [
    '"nomin":1,"sreden":0.3331',
    '"nomin":3,"sreden":0.3331',
    '"JPY/MKD" is not for a power of ten of units',
  ],
  ['"sreden":0.3331', '"sreden":null', '"JPY/MKD" has no rate'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the National Bank of North Macedonia with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("nbrm", from, to);
    assert.equal(figuresOf(lines).length, 3);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
