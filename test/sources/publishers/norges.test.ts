import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("Norges Bank's rates have their point moved by UNIT_MULT, and its indexes are ignored", () => {
  const lines = parse("norges");
  assert.deepEqual(figuresOf(lines), ["HUF/NOK 0.028805", "DKK/NOK 1.4920", "EUR/NOK 11.1590"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("Norges Bank's rates are dated 16:00 in Oslo, in winter and summer time", () => {
  assert.deepEqual(momentsOf(parse("norges")), ["2026-03-13T15:00:00.000000000Z"]);
  const summer = parseWith("norges", "2026-03-13", "2026-03-30");
  assert.deepEqual(momentsOf(summer), ["2026-03-30T14:00:00.000000000Z"]);
});

test("a series that continues after a holiday does not count as ended", () => {
  const lines = parseWith("norges", "2022-12-30", "2026-03-04");
  assert.ok(figuresOf(lines).includes("HRK/NOK 1.3955"));
});

test("a date in the future does not make all other series count as ended", () => {
  const lines = parseWith("norges", "2022-12-30", "2062-12-30");
  assert.equal(figuresOf(lines).length, 4);
});

const oddRows = [
  ["2,C,2026-03-13,2.8805", "x,C,2026-03-13,2.8805", "is not for a power of ten of units"],
  ["2,C,2026-03-13,2.8805", "-2,C,2026-03-13,2.8805", "is not for a power of ten of units"],
  ["2,C,2026-03-13,2.8805", "2,C,2026-03,2.8805", "has no date such as 2026-03-13"],
  ["2,C,2026-03-13,2.8805", "2,C,2026-03-13,", ': "" is not a decimal number above zero'],
  ["2,C,2026-03-13,2.8805", "2,C,2026-03-13,NaN", ': "NaN" is not a decimal number above zero'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of Norges Bank with ${to} is rejected, and the others are kept`, () => {
    const lines = parseWith("norges", from, to);
    assert.deepEqual(figuresOf(lines), ["DKK/NOK 1.4920", "EUR/NOK 11.1590"]);
    const reasons = rejectionsOf(lines).join();
    assert.ok(reasons.startsWith('"HUF/NOK"') && reasons.endsWith(reason), reasons);
  });
}

test("the columns may be in another order and among others", () => {
  const csv = 'OBS_VALUE,UNIT_MULT,"NOTE",TIME_PERIOD,QUOTE_CUR,BASE_CUR\r\n';
  const lines = parse("norges", [`${csv}149.20,2,"a, b",2026-03-13,NOK,DKK\r\n`]);
  assert.deepEqual(figuresOf(lines), ["DKK/NOK 1.4920"]);
});
