import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressesOf,
  bodiesOf,
  figuresOf,
  momentsOf,
  parse,
  parseWith,
  rejectionsOf,
  validityOf,
} from "./recorded.ts";

test("InforEuro's units per euro keep every digit, without the euro itself", () => {
  const lines = parse("inforeuro");
  assert.deepEqual(figuresOf(lines), [
    "EUR/CZK 24.148",
    "EUR/IDR 20628.08",
    "EUR/USD 1.1643",
    "EUR/AMD 424",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("InforEuro's rates are those of the month in their address, in summer and winter", () => {
  const lines = parse("inforeuro");
  assert.deepEqual(momentsOf(lines), ["2026-08-31T22:00:00.000000000Z"]);
  assert.deepEqual(validityOf(lines), ["2026-09-01 to 2026-09-30"]);
  const winter = parse("inforeuro", bodiesOf("inforeuro"), Date.parse("2027-02-03T10:00:00Z"));
  assert.deepEqual(momentsOf(winter), ["2027-01-31T23:00:00.000000000Z"]);
  assert.deepEqual(validityOf(winter), ["2027-02-01 to 2027-02-28"]);
});

test("InforEuro is asked for the month that has begun in Brussels", () => {
  const at = (time: string) => addressesOf("inforeuro", Date.parse(time))[0]?.split("?")[1];
  assert.equal(at("2026-08-31T21:59:59Z"), "lang=EN&year=2026&month=8");
  assert.equal(at("2026-08-31T22:00:00Z"), "lang=EN&year=2026&month=9");
});

test("InforEuro's answer for a month without rates is a failure", () => {
  const body = '{"code":5,"message":"No rates published for period"}';
  assert.throws(() => parse("inforeuro", [body]), {
    reason: "the layout has changed: the response is not a list",
  });
});

test("the Zimbabwe Gold has the code of ISO 4217", () => {
  assert.equal(figuresOf(parseWith("inforeuro", "AMD", "ZIG")).at(-1), "EUR/ZWG 424");
});

const oddRows = [
  ['"isoA3Code":"IDR"', '"isoA3Code":null', '"EUR/?" names no currency that Kurs knows'],
  ['"value":20628.08', '"value":{}', '"EUR/IDR" has no rate'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of InforEuro with ${to} is rejected, and the others are kept`, () => {
    const lines = parseWith("inforeuro", from, to);
    assert.equal(figuresOf(lines).length, 3);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}

test("a currency of InforEuro without a rate is left out", () => {
  const lines = parseWith("inforeuro", '"value":20628.08', '"value":null');
  assert.equal(figuresOf(lines).length, 3);
  assert.deepEqual(rejectionsOf(lines), []);
});
