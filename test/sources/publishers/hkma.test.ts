import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Hong Kong dollars of a day are a rate for each column of a currency, without the indices", () => {
  const figures = figuresOf(parse("hkma"));
  assert.equal(figures.length, 17);
  assert.deepEqual(figures.slice(0, 3), [
    "USD/HKD 7.8245000000000005",
    "GBP/HKD 10.549",
    "JPY/HKD 0.05012",
  ]);
  assert.ok(figures.includes("IDR/HKD 0.0004666"));
  assert.deepEqual(rejectionsOf(parse("hkma")), []);
});

test("Hong Kong's rates are dated 17:00 there, all year", () => {
  assert.deepEqual(momentsOf(parse("hkma")), ["2026-02-28T09:00:00.000000000Z"]);
  const summer = parseWith("hkma", "2026-02-28", "2026-07-28");
  assert.deepEqual(momentsOf(summer), ["2026-07-28T09:00:00.000000000Z"]);
});

test("a rate of Hong Kong that is no number is rejected, and that of the day before is kept", () => {
  const lines = parseWith("hkma", '"jpy":0.05012', '"jpy":{}');
  assert.equal(figuresOf(lines).length, 17);
  assert.ok(figuresOf(lines).includes("JPY/HKD 0.05015"));
  assert.deepEqual(rejectionsOf(lines), ['"JPY/HKD" has no rate']);
});
