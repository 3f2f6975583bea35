import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the RBA's latest day is read, without its index and a currency that it no longer states", () => {
  const lines = parse("rba");
  assert.deepEqual(figuresOf(lines), [
    "AUD/USD 0.7088",
    "AUD/JPY 112.27",
    "AUD/IDR 12039",
    "AUD/XDR 0.5217",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the RBA's rates are dated 16:00 in Sydney, in its summer and winter time", () => {
  assert.deepEqual(momentsOf(parse("rba")), ["2026-03-20T05:00:00.000000000Z"]);
  const winter = parseWith("rba", "20-Mar-2026", "20-Jul-2025");
  assert.deepEqual(momentsOf(winter), ["2026-03-19T05:00:00.000000000Z"]);
  const both = parseWith("rba", "-Mar-2026", "-Jul-2025");
  assert.deepEqual(momentsOf(both), ["2025-07-20T06:00:00.000000000Z"]);
});

test("an unreadable date of the RBA is rejected, and the day before is kept", () => {
  const lines = parseWith("rba", "\n20-Mar-2026", "\n20-13-2026");
  assert.equal(figuresOf(lines)[0], "AUD/USD 0.7038");
  assert.deepEqual(rejectionsOf(lines)[0], '"AUD/USD" has no date such as 2026-03-13');
});

test("a series of the RBA without a unit is rejected, and the others are kept", () => {
  const lines = parseWith("rba", "Units,USD,Index,JPY,IDR,AED,SDR", "Units,USD,Index,JPY,IDR");
  assert.deepEqual(figuresOf(lines), ["AUD/USD 0.7088", "AUD/JPY 112.27", "AUD/IDR 12039"]);
  assert.ok(rejectionsOf(lines).includes('"FXRSDR" names no currency that Kurs knows'));
});
