import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressesOf,
  figuresOf,
  momentsOf,
  parse,
  parseWith,
  rejectionsOf,
  validityOf,
} from "./recorded.ts";

test("HMRC's units per pound keep every digit, and a currency of several countries is one", () => {
  const lines = parse("hmrc");
  assert.deepEqual(figuresOf(lines), [
    "GBP/AED 4.9091",
    "GBP/XOF 768.7193",
    "GBP/EUR 1.1719",
    "GBP/IDR 23940.4179",
    "GBP/USD 1.3367",
    "GBP/ZWG 35.8198",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("HMRC's rates are valid for their month in London, in summer and winter", () => {
  const lines = parse("hmrc");
  assert.deepEqual(momentsOf(lines), ["2026-07-31T23:00:00.000000000Z"]);
  assert.deepEqual(validityOf(lines), ["2026-08-01 to 2026-08-31"]);
  const winter = parseWith("hmrc", "/08/2026", "/12/2026");
  assert.deepEqual(momentsOf(winter), ["2026-12-01T00:00:00.000000000Z"]);
  assert.deepEqual(validityOf(winter), ["2026-12-01 to 2026-12-31"]);
});

test("HMRC is asked for the month that has begun in London, not for one published in advance", () => {
  const fileAt = (time: string) => addressesOf("hmrc", Date.parse(time))[0]?.split("/").at(-1);
  assert.equal(fileAt("2026-08-31T22:59:59Z"), "monthly_csv_2026-8.csv");
  assert.equal(fileAt("2026-08-31T23:00:00Z"), "monthly_csv_2026-9.csv");
  assert.equal(fileAt("2026-12-31T23:59:59Z"), "monthly_csv_2026-12.csv");
});

const idr = '"GBP/IDR"';
const oddRows = [
  ["IDR,23940.4179,01/08/2026", "IDR,23940.4179,August", `${idr} has no date such as 2026-03-13`],
  [
    "23940.4179,01/08/2026,31/08/2026",
    "23940.4179,01/08/2026,",
    `${idr} has no date such as 2026-03-13`,
  ],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of HMRC with ${to} is rejected, and the others are kept`, () => {
    const lines = parseWith("hmrc", from, to);
    assert.equal(figuresOf(lines).length, 5);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}

test("contradicting rates of countries that share a currency are reported", () => {
  const lines = parseWith(
    "hmrc",
    "Burkina Faso,CFA Franc,XOF,768.7193",
    "Burkina Faso,CFA Franc,XOF,768.7",
  );
  assert.ok(figuresOf(lines).includes("GBP/XOF 768.7193"));
  assert.deepEqual(rejectionsOf(lines), ['"GBP/XOF" is stated twice: "768.7193" and then "768.7"']);
});
