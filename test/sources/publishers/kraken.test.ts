import assert from "node:assert/strict";
import { test } from "node:test";
import { ParseError } from "../../../src/sources/publishers/publisher.ts";
import { bodiesOf, figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("Kraken's last prices of online pairs get the usual symbols", () => {
  const lines = parse("kraken");
  assert.deepEqual(figuresOf(lines), [
    "BTC/USD 71000.10000",
    "ETH/BTC 0.030100",
    "DOGE/EUR 0.0821000",
    "EUR/USD 1.14760",
    "PEPE/USD 0.00001080",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("Kraken's prices are dated with the time of its ticker's response", () => {
  assert.deepEqual(momentsOf(parse("kraken")), ["2026-09-23T23:51:53.250000000Z"]);
});

const oddPairs = [
  ['"XDG/EUR"', '"XDGEUR"', '"XDGEUR" names no currency that Kurs knows'],
  ['"wsname": "XDG/EUR", ', "", '"XDGEUR" names no currency that Kurs knows'],
  ['"c": ["0.0821000", "120"]', '"c": []', '"DOGE/EUR" has no rate'],
  ['"XDGEUR": { "a"', '"XDGUSD": { "a"', '"DOGE/EUR" has no rate'],
] as const;

for (const [from, to, reason] of oddPairs) {
  test(`a pair of Kraken with ${to || "no name"} is rejected, and the others are kept`, () => {
    const lines = parseWith("kraken", from, to);
    assert.equal(figuresOf(lines).length, 4);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}

test("an error in Kraken's response is reported", () => {
  const [pairs = Buffer.of(), ticker = Buffer.of()] = bodiesOf("kraken");
  const error = '{"error":["EGeneral:Too many requests"]}';
  for (const bodies of [
    [pairs, error],
    [error, ticker],
  ]) {
    assert.throws(() => parse("kraken", bodies), {
      name: "ParseError",
      reason: 'Kraken reports "EGeneral:Too many requests"',
    });
  }
  assert.throws(() => parse("kraken", [pairs, '{"error":[]}']), ParseError);
});
