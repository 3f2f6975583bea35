import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the SNB's francs are those for a euro and, with the point moved, for a yen", () => {
  const lines = parse("snb");
  assert.deepEqual(figuresOf(lines), ["EUR/CHF 0.9378", "JPY/CHF 0.005727"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the SNB's rates are dated 11:00 in Zurich, in winter and summer time", () => {
  assert.deepEqual(momentsOf(parse("snb")), ["2024-11-12T10:00:00.000000000Z"]);
  const summer = parseWith("snb", "2024-11-12", "2025-07-11");
  assert.deepEqual(momentsOf(summer), ["2025-07-11T09:00:00.000000000Z"]);
});

const jpy = '"JPY/CHF"';
const oddRows = [
  [">-2<", ">2<", `${jpy} is not for a power of ten of units`],
  [">0.5727<", ">n/a<", `${jpy}: "n/a" is not a decimal number above zero`],
  ["<cb:value>0.5727</cb:value>", "", `${jpy} has no rate`],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the SNB with ${to || "no value"} is rejected, and the other is kept`, () => {
    const lines = parseWith("snb", from, to);
    assert.deepEqual(figuresOf(lines), ["EUR/CHF 0.9378"]);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
