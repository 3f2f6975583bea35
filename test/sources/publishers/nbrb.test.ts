import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Belarusian bank's rubles per 1,000 or 100,000 units have their point moved", () => {
  const lines = parse("nbrb");
  assert.deepEqual(figuresOf(lines), [
    "AUD/BYN 2.0700",
    "AMD/BYN 0.0078014",
    "VND/BYN 0.000112071",
    "USD/BYN 2.9463",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Belarusian bank's rates are dated 00:00 in Minsk, all year", () => {
  assert.deepEqual(momentsOf(parse("nbrb")), ["2026-03-16T21:00:00.000000000Z"]);
  const summer = parseWith("nbrb", "2026-03-17", "2025-07-17");
  assert.deepEqual(momentsOf(summer), ["2025-07-16T21:00:00.000000000Z"]);
});

const amd = '"AMD/BYN"';
const oddRows = [
  ['"Cur_Scale":1000,', '"Cur_Scale":500,', `${amd} is not for a power of ten of units`],
  ['"Cur_OfficialRate":7.8014', '"Cur_OfficialRate":null', `${amd} has no rate`],
  [
    '"Cur_OfficialRate":7.8014',
    '"Cur_OfficialRate":-7.8014',
    `${amd}: "-7.8014" is not a decimal number above zero`,
  ],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the Belarusian bank with ${to} is rejected, the others kept`, () => {
    const lines = parseWith("nbrb", from, to);
    assert.equal(figuresOf(lines).length, 3);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
