import assert from "node:assert/strict";
import { test } from "node:test";
import { bodiesOf, figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the NBP's rates keep trailing zeros: 3.6770 stays 3.6770", () => {
  const lines = parse("nbp");
  assert.deepEqual(figuresOf(lines), [
    "USD/PLN 3.6056",
    "HUF/PLN 0.011155",
    "RON/PLN 0.8300",
    "PAB/PLN 3.6770",
    "NIO/PLN 0.1000",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("each table of the NBP is dated noon in Warsaw of its own day, in winter and summer time", () => {
  assert.deepEqual(momentsOf(parse("nbp")), [
    "2026-03-11T11:00:00.000000000Z",
    "2026-03-13T11:00:00.000000000Z",
  ]);
  assert.deepEqual(momentsOf(parseWith("nbp", "2026-03-13", "2026-03-30")), [
    "2026-03-11T11:00:00.000000000Z",
    "2026-03-30T10:00:00.000000000Z",
  ]);
});

test("a currency that moves from one table to the other has the later rate", () => {
  const lines = parseWith("nbp", '"code": "PAB"', '"code": "USD"');
  assert.equal(figuresOf(lines).length, 4);
  assert.ok(figuresOf(lines).includes("USD/PLN 3.6056"));
  assert.deepEqual(rejectionsOf(lines), []);
});

test("an invalid row of the NBP is rejected, and the others are kept", () => {
  const lines = parseWith("nbp", '"mid": 0.8300', '"bid": 0.8300');
  assert.equal(figuresOf(lines).length, 4);
  assert.deepEqual(rejectionsOf(lines), ['"RON/PLN" has no rate']);
});

test("an empty table of the NBP is a failure although the other has rates", () => {
  const [tableA = Buffer.of()] = bodiesOf("nbp");
  const reason = /no rates in the response: a table is empty/;
  assert.throws(() => parse("nbp", [tableA, "[]"]), reason);
  const empty = '[{"table":"B","effectiveDate":"2026-03-11","rates":[]}]';
  assert.throws(() => parse("nbp", [tableA, empty]), reason);
});
