import assert from "node:assert/strict";
import { test } from "node:test";
import { bodiesOf, figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Bank of Russia's decimal comma becomes a point, moved by the nominal", () => {
  const lines = parse("cbr");
  assert.deepEqual(figuresOf(lines), ["AMD/RUB 0.203120", "USD/RUB 79.4500", "UZS/RUB 0.00655931"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Bank of Russia's rates are dated 00:00 in Moscow, all year, and belong to that day", () => {
  assert.deepEqual(momentsOf(parse("cbr")), ["2026-03-13T21:00:00.000000000Z"]);
  const summer = parseWith("cbr", "14.03.2026", "14.07.2026");
  assert.deepEqual(momentsOf(summer), ["2026-07-13T21:00:00.000000000Z"]);
  const dates = [...parse("cbr"), ...summer].map(({ date }) => date);
  assert.deepEqual([...new Set(dates)], ["2026-03-14", "2026-07-14"]);
});

const amd = '"AMD/RUB"';
const oddRows = [
  ["<Nominal>100<", "<Nominal>50<", `${amd} is not for a power of ten of units`],
  ["<Value>20,3120<", "<Value>20.3120<", `${amd} has no rate`],
  ["<Value>20,3120</Value>", "", `${amd} has no rate`],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the Bank of Russia with ${to || "no value"} is rejected by its name`, () => {
    const lines = parseWith("cbr", from, to);
    assert.deepEqual(figuresOf(lines), ["USD/RUB 79.4500", "UZS/RUB 0.00655931"]);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}

test("a document with another root, a document type or no date is not the Bank of Russia's", () => {
  assert.throws(() => parseWith("cbr", "ValCurs", "Rates"), /its root is "Rates", not ValCurs/);
  assert.throws(() => parseWith("cbr", "14.03.2026", "2026-03-14"), /Date is not as in 25/);
  assert.throws(() => parseWith("cbr", 'Date="14.03.2026"', ""), /Date is not as in 25/);
  const [body = Buffer.of()] = bodiesOf("cbr");
  const start = body.indexOf("<ValCurs");
  const bomb = '<!DOCTYPE ValCurs [<!ENTITY a "79,4500">]>';
  const bodies = [
    Buffer.concat([body.subarray(0, start), Buffer.from(bomb), body.subarray(start)]),
  ];
  assert.throws(() => parse("cbr", bodies), /document type declaration/);
});
