import assert from "node:assert/strict";
import { test } from "node:test";
import { bodiesOf, figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the króna's rates of both groups of the Central Bank of Iceland are those of the newest day", () => {
  const lines = parse("sbi");
  assert.deepEqual(figuresOf(lines), [
    "USD/ISK 124.710000",
    "JPY/ISK 0.779800",
    "KRW/ISK 0.082500",
    "HUF/ISK 0.368400",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Central Bank of Iceland's rates are dated 16:00 in Reykjavík, which has no summer time", () => {
  assert.deepEqual(momentsOf(parse("sbi")), ["2026-03-27T16:00:00.000000000Z"]);
  const other = parseWith("sbi", ">3/27/2026", ">7/27/2026");
  assert.deepEqual(momentsOf(other), ["2026-07-27T16:00:00.000000000Z"]);
});

const oddRows = [
  ["<Value>0.779800</Value>", "", '"JPY/ISK" has no rate'],
  [
    ">3/27/2026 12:00:00 AM</Date><Value>0.779800",
    ">27/3/2026 12:00:00 AM</Date><Value>0.779800",
    '"JPY/ISK" has no date such as 2026-03-13',
  ],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the Central Bank of Iceland with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("sbi", from, to);
    assert.equal(figuresOf(lines).length, 4);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}

test("an empty group of the Central Bank of Iceland is a failure although the other has rates", () => {
  const [reference = Buffer.of()] = bodiesOf("sbi");
  const reason = /no rates in the response: a group is empty/;
  assert.throws(() => parse("sbi", [reference, '<Group ID="7"></Group>']), reason);
});
