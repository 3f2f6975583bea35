import assert from "node:assert/strict";
import { test } from "node:test";
import { bodiesOf, figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the South African Reserve Bank's series are in their own directions, the newest day's rates", () => {
  const lines = parse("sarb");
  assert.deepEqual(figuresOf(lines), [
    "USD/ZAR 17.1302",
    "GBP/ZAR 22.8173",
    "EUR/ZAR 19.7408",
    "ZAR/JPY 9.3324",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the South African Reserve Bank's rates are dated 10:30 in Johannesburg, all year", () => {
  assert.deepEqual(momentsOf(parse("sarb")), ["2026-03-27T08:30:00.000000000Z"]);
  const winter = parseWith("sarb", '"Period":"2026-03-27', '"Period":"2026-07-27');
  assert.deepEqual(momentsOf(winter), ["2026-07-27T08:30:00.000000000Z"]);
});

test("a day of the South African Reserve Bank without a rate is rejected, the day before kept", () => {
  const lines = parseWith("sarb", '"Value":9.3324', '"Value":null');
  assert.ok(figuresOf(lines).includes("ZAR/JPY 9.3581"));
  assert.deepEqual(rejectionsOf(lines), ['"ZAR/JPY" has no rate']);
});

test("a series of the South African Reserve Bank by another name is rejected, the others kept", () => {
  const lines = parseWith("sarb", '"Rand per Euro"', '"Rand per Ecu"');
  assert.equal(figuresOf(lines).length, 3);
  const reason = '"Rand per Ecu" names no currency that Kurs knows';
  assert.deepEqual(rejectionsOf(lines), [reason, reason]);
});

test("an empty series of the South African Reserve Bank is a failure although others have rates", () => {
  const reason = /no rates in the response: a series is empty/;
  assert.throws(() => parse("sarb", bodiesOf("sarb").with(3, Buffer.from("[]"))), reason);
});
