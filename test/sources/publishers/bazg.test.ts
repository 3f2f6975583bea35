import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressesOf,
  figuresOf,
  kindsOf,
  momentsOf,
  parse,
  parseWith,
  rejectionsOf,
  validityOf,
} from "./recorded.ts";

test("the customs office's francs per 100 or 10,000 units have their point moved", () => {
  const lines = parse("bazg");
  assert.deepEqual(figuresOf(lines), [
    "EUR/CHF 0.93883",
    "EGP/CHF 0.0160858",
    "IDR/CHF 0.000045902",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
  assert.deepEqual(kindsOf(lines), ["selling"]);
});

test("the customs office's rates of a Friday are valid from Saturday to Monday, in Zurich", () => {
  const lines = parse("bazg");
  assert.deepEqual(momentsOf(lines), ["2026-07-24T22:00:00.000000000Z"]);
  assert.deepEqual(validityOf(lines), ["2026-07-25 to 2026-07-27"]);
  const winter = parseWith("bazg", "25.07.2026,26.07.2026,27.07.2026", "29.01.2026");
  assert.deepEqual(momentsOf(winter), ["2026-01-28T23:00:00.000000000Z"]);
  assert.deepEqual(validityOf(winter), ["2026-01-29 to 2026-01-29"]);
});

test("the customs office's average is valid for its whole month, in summer and winter", () => {
  const lines = parse("bazg-monthly");
  assert.deepEqual(figuresOf(lines), ["EUR/CHF 0.9328", "DKK/CHF 0.124792", "VND/CHF 0.00003113"]);
  assert.deepEqual(momentsOf(lines), ["2026-07-31T22:00:00.000000000Z"]);
  assert.deepEqual(validityOf(lines), ["2026-08-01 to 2026-08-31"]);
  assert.deepEqual(kindsOf(lines), ["selling"]);
  const winter = parseWith("bazg-monthly", "2026-08", "2028-02");
  assert.deepEqual(momentsOf(winter), ["2028-01-31T23:00:00.000000000Z"]);
  assert.deepEqual(validityOf(winter), ["2028-02-01 to 2028-02-29"]);
});

test("the average is requested for the month that has begun in Zurich", () => {
  const monthAt = (time: string) => addressesOf("bazg-monthly", Date.parse(time))[0]?.slice(-11);
  assert.equal(monthAt("2026-07-31T21:59:59Z"), "j=2026&m=07");
  assert.equal(monthAt("2026-07-31T22:00:00Z"), "j=2026&m=08");
  assert.equal(monthAt("2026-12-31T23:00:00Z"), "j=2027&m=01");
});

const egp = '"EGP/CHF"';
const oddRows = [
  ["100 EGP", "50 EGP", `${egp} is not for a power of ten of units`],
  [">1.60858<", ">n/a<", `${egp}: "n/a" is not a decimal number above zero`],
  ["<kurs>1.60858</kurs>", "", `${egp} has no rate`],
  ["100 EGP", "100", '"?/CHF" names no currency that Kurs knows'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the customs office with ${to || "no figure"} is rejected, the others kept`, () => {
    const lines = parseWith("bazg", from, to);
    assert.equal(figuresOf(lines).length, 2);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
