import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the CNB's rates per 100 or 1,000 units have their point moved", () => {
  const lines = parse("cnb");
  assert.deepEqual(figuresOf(lines), ["EUR/CZK 24.170", "HUF/CZK 0.06304", "IDR/CZK 0.001230"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the CNB's rates are dated 14:30 in Prague, in winter and summer time", () => {
  assert.deepEqual(momentsOf(parse("cnb")), ["2026-03-13T13:30:00.000000000Z"]);
  const summer = parseWith("cnb", "2026-03-13", "2026-03-30");
  assert.deepEqual(momentsOf(summer), ["2026-03-30T12:30:00.000000000Z"]);
});

const oddRows = [
  ['"amount": 100,', '"amount": 50,', "is not for a power of ten of units"],
  ['"amount": 100,', '"amount": 1e2,', "is not for a power of ten of units"],
  ['"amount": 100,', "", "is not for a power of ten of units"],
  ['"rate": 6.304', '"rate": null', "has no rate"],
  ['"rate": 6.304', '"rate": "6,304"', ': "6,304" is not a decimal number above zero'],
  ['"rate": 6.304', '"rate": -6.304', ': "-6.304" is not a decimal number above zero'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the CNB with ${to || "no amount"} is rejected, and the others are kept`, () => {
    const lines = parseWith("cnb", from, to);
    assert.deepEqual(figuresOf(lines), ["EUR/CZK 24.170", "IDR/CZK 0.001230"]);
    assert.match(rejectionsOf(lines).join(), /^"HUF\/CZK"/);
    assert.ok(rejectionsOf(lines).join().endsWith(reason), rejectionsOf(lines).join());
  });
}
