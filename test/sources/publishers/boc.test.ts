import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Bank of Canada's latest rates in dollars keep every digit", () => {
  const lines = parse("boc");
  assert.deepEqual(figuresOf(lines), ["TRY/CAD 0.03100", "USD/CAD 1.3706"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Bank of Canada's rates are dated 16:30 in Toronto, in summer and winter time", () => {
  // Toronto sets its clocks forward on 8 March.
  assert.deepEqual(momentsOf(parse("boc")), ["2026-03-13T20:30:00.000000000Z"]);
  const winter = parseWith("boc", "2026-03-1", "2026-01-1");
  assert.deepEqual(momentsOf(winter), ["2026-01-13T21:30:00.000000000Z"]);
});

test("the name of a series gives its direction", () => {
  const lines = parseWith("boc", "FXTRYCAD", "FXCADTRY");
  assert.ok(figuresOf(lines).includes("CAD/TRY 0.03100"));
});

const oddSeries = [
  ["FXTRYCAD", "CEER", '"CEER" names no currency that Kurs knows'],
  ['"v": "0.03', '"w": "0.03', '"TRY/CAD" has no rate'],
] as const;

for (const [from, to, reason] of oddSeries) {
  test(`a series of the Bank of Canada with ${to} is rejected, and the others are kept`, () => {
    const lines = parseWith("boc", from, to);
    assert.deepEqual(figuresOf(lines), ["USD/CAD 1.3706"]);
    assert.deepEqual([...new Set(rejectionsOf(lines))], [reason]);
  });
}
