import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Croatian National Bank's decimal comma becomes a point, and its middle rates are served", () => {
  const lines = parse("hnb");
  const middle = lines.filter(({ kind }) => kind === "middle");
  assert.deepEqual(figuresOf(middle), [
    "EUR/JPY 140.950000",
    "EUR/USD 1.060100",
    "EUR/BAM 1.955830",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Croatian National Bank's buying and selling rates are figures of their own", () => {
  const usd = parse("hnb").filter((line) => "rate" in line && line.quote === "USD");
  const stated = usd.flatMap((line) => ("rate" in line ? [`${line.kind} ${line.rate}`] : []));
  assert.deepEqual(stated, ["middle 1.060100", "buying 1.061700", "selling 1.058500"]);
});

test("the Croatian National Bank's rates are dated 00:00 in Zagreb, in summer and winter time", () => {
  assert.deepEqual(momentsOf(parse("hnb")), ["2023-01-05T23:00:00.000000000Z"]);
  const other = parseWith("hnb", '"datum_primjene":"2023-01-06', '"datum_primjene":"2023-07-06');
  assert.deepEqual(momentsOf(other), ["2023-07-05T22:00:00.000000000Z"]);
});

const oddRows = [
  ['"srednji_tecaj":"140,950000"', '"srednji_tecaj":"140.950000"', '"EUR/JPY" has no rate'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the Croatian National Bank with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("hnb", from, to);
    assert.equal(figuresOf(lines).length, 8);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
