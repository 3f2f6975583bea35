import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the BNR's rates per 100 units have their point moved, and a gram of gold is left out", () => {
  const lines = parse("bnr");
  assert.deepEqual(figuresOf(lines), [
    "EGP/RON 0.0847",
    "EUR/RON 5.0947",
    "CAD/RON 3.2490",
    "HUF/RON 0.013029",
    "XDR/RON 6.0329",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the BNR's rates are dated 13:00 in Bucharest, in winter and summer time", () => {
  assert.deepEqual(momentsOf(parse("bnr")), ["2026-03-13T11:00:00.000000000Z"]);
  const summer = parseWith("bnr", "2026-03-13", "2026-07-13");
  assert.deepEqual(momentsOf(summer), ["2026-07-13T10:00:00.000000000Z"]);
});

const oddRows = [
  ['multiplier="100"', 'multiplier="50"', " is not for a power of ten of units"],
  [">1.3029<", "><", ': "" is not a decimal number above zero'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the BNR with ${to} is rejected, and the others are kept`, () => {
    const lines = parseWith("bnr", from, to);
    assert.equal(figuresOf(lines).length, 4);
    assert.deepEqual(rejectionsOf(lines), [`"HUF/RON"${reason}`]);
  });
}
