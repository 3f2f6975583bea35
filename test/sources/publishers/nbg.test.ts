import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the National Bank of Georgia's lari per 10 or 1,000 units have their point moved", () => {
  const lines = parse("nbg");
  assert.deepEqual(figuresOf(lines), ["AED/GEL 0.73994", "AMD/GEL 0.0067023", "AUD/GEL 1.8883"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the National Bank of Georgia's rates are dated 00:00 in Tbilisi, all year", () => {
  assert.deepEqual(momentsOf(parse("nbg")), ["2022-08-05T20:00:00.000000000Z"]);
  const winter = parseWith("nbg", '"validFromDate": "2022-08-06', '"validFromDate": "2022-12-06');
  assert.deepEqual(momentsOf(winter), ["2022-12-05T20:00:00.000000000Z"]);
});

const amd = '"AMD/GEL"';
const oddRows = [
  ['"quantity": 1000', '"quantity": 500', `${amd} is not for a power of ten of units`],
  ['"rate": 6.7023', '"rate": null', `${amd} has no rate`],
  ['"rate": 6.7023', '"rate": "6,7023"', `${amd}: "6,7023" is not a decimal number above zero`],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the National Bank of Georgia with ${to} is rejected, the others kept`, () => {
    const lines = parseWith("nbg", from, to);
    assert.deepEqual(figuresOf(lines), ["AED/GEL 0.73994", "AUD/GEL 1.8883"]);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}

test("a time of day is not taken for a date of the National Bank of Georgia", () => {
  const lines = () => parseWith("nbg", "2022-08-06T00:00:00.000Z", "2022-08-06T09:00:00.000Z");
  assert.throws(lines, /"AED\/GEL" has no date/);
});
