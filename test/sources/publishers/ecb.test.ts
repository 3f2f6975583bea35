import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the ECB's rates for one euro keep every digit, also trailing zeros", () => {
  const lines = parse("ecb");
  assert.deepEqual(figuresOf(lines), [
    "EUR/USD 1.1476",
    "EUR/JPY 182.85",
    "EUR/ISK 144.20",
    "EUR/NOK 11.1590",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the ECB's rates are dated 16:00 in Frankfurt, in winter and summer time", () => {
  assert.deepEqual(momentsOf(parse("ecb")), ["2026-03-13T15:00:00.000000000Z"]);
  const summer = parseWith("ecb", "2026-03-13", "2026-03-30");
  assert.deepEqual(momentsOf(summer), ["2026-03-30T14:00:00.000000000Z"]);
});

test("an invalid Cube of the ECB is rejected with its line, and the others are kept", () => {
  const lines = parseWith("ecb", "<Cube currency='JPY' rate='182.85'/>", "<Cube currency='JPY'/>");
  assert.equal(figuresOf(lines).length, 3);
  assert.match(rejectionsOf(lines).join(), /^a Cube has /);
  assert.equal(lines.find((line) => "reason" in line)?.line, 10);
});
