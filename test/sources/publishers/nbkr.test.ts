import assert from "node:assert/strict";
import { test } from "node:test";
import { bodiesOf, figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the NBKR's decimal comma becomes a point, moved by the nominal", () => {
  const lines = parse("nbkr");
  assert.deepEqual(figuresOf(lines), [
    "USD/KGS 87.4500",
    "KZT/KGS 0.1859",
    "GBP/KGS 117.4147",
    "JPY/KGS 0.54969",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("each table of the NBKR is dated 00:00 in Bishkek of its own day, all year", () => {
  assert.deepEqual(momentsOf(parse("nbkr")), [
    "2026-05-22T18:00:00.000000000Z",
    "2026-05-23T18:00:00.000000000Z",
  ]);
  const winter = momentsOf(parseWith("nbkr", "23.05.2026", "23.01.2026"));
  assert.equal(winter[0], "2026-01-22T18:00:00.000000000Z");
});

const jpy = '"JPY/KGS"';
const oddRows = [
  ["<Nominal>10<", "<Nominal>50<", `${jpy} is not for a power of ten of units`],
  ["<Value>5,4969<", "<Value>5.4969<", `${jpy} has no rate`],
  ["<Value>5,4969</Value>", "", `${jpy} has no rate`],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the NBKR with ${to || "no value"} is rejected, the others kept`, () => {
    const lines = parseWith("nbkr", from, to);
    assert.equal(figuresOf(lines).length, 3);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}

test("an empty table of the NBKR is a failure although the other has rates", () => {
  const [daily = Buffer.of()] = bodiesOf("nbkr");
  const empty = '<CurrencyRates Date="23.05.2026"></CurrencyRates>';
  const reason = /no rates in the response: a table is empty/;
  assert.throws(() => parse("nbkr", [daily, empty]), reason);
  assert.throws(() => parse("nbkr", [empty, daily]), reason);
});
