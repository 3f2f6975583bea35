import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Riksbank's latest rates do not include the series that have ended", () => {
  const lines = parse("riksbank");
  assert.deepEqual(figuresOf(lines), ["IDR/SEK 0.00056", "USD/SEK 9.44517"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Riksbank's rates are dated 16:15 in Stockholm, in winter and summer time", () => {
  assert.deepEqual(momentsOf(parse("riksbank")), ["2026-03-13T15:15:00.000000000Z"]);
  const summer = parseWith("riksbank", "2026-03-13", "2026-03-30");
  assert.deepEqual(momentsOf(summer), ["2026-03-30T14:15:00.000000000Z"]);
});

const oddSeries = [
  ["SEKIDRPMI", "SEKKIX92", '"SEKKIX92" names no currency that Kurs knows'],
  ['"value": 0.00056', '"value": null', '"IDR/SEK" has no rate'],
] as const;

for (const [from, to, reason] of oddSeries) {
  test(`a series of the Riksbank with ${to} is rejected, and the others are kept`, () => {
    const lines = parseWith("riksbank", from, to);
    assert.deepEqual(figuresOf(lines), ["USD/SEK 9.44517"]);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}

test("a response with only invalid rows is a failure with the reason of the first row", () => {
  assert.throws(() => parseWith("riksbank", "PMI", "MID"), {
    name: "ParseError",
    reason: 'no rates in the response: "SEKCYPMID" names no currency that Kurs knows',
  });
});
