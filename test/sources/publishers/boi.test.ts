import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./answers.ts";

test("the Bank of Israel's shekels per 100 yen have their point moved", () => {
  const lines = parse("boi");
  assert.deepEqual(figuresOf(lines), ["USD/ILS 3.733", "JPY/ILS 0.024287"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Bank of Israel's rates have the time of the response, in winter and summer time", () => {
  assert.deepEqual(momentsOf(parse("boi")), ["2024-11-11T13:26:05.659020400Z"]);
  const summer = parseWith("boi", "2024-11-11T13:26", "2025-07-11T12:26");
  assert.deepEqual(momentsOf(summer), ["2025-07-11T12:26:05.659020400Z"]);
});

const jpy = 'the rate of "JPY"';
const oddRows = [
  ["<Unit>100<", "<Unit>50<", `${jpy} is not for a power of ten of units`],
  [">2.4287<", ">-2.4287<", `${jpy}: "-2.4287" is not a decimal number above zero`],
  ["<CurrentExchangeRate>2.4287</CurrentExchangeRate>", "", `${jpy} has no rate`],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the Bank of Israel with ${to || "no rate"} is rejected, the other kept`, () => {
    const lines = parseWith("boi", from, to);
    assert.deepEqual(figuresOf(lines), ["USD/ILS 3.733"]);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
