import assert from "node:assert/strict";
import { test } from "node:test";
import { requestsOf } from "../../../src/sources/publishers/publisher.ts";
import { figuresOf, momentsOf, parse, parseWith, publisherOf, rejectionsOf } from "./recorded.ts";

test("the Bank of Mexico's pesos are those of the last day, by the series' currencies", () => {
  const lines = parse("banxico");
  assert.deepEqual(figuresOf(lines), [
    "USD/MXN 17.9218",
    "JPY/MXN 0.1125",
    "EUR/MXN 20.5536",
    "CAD/MXN 13.0259",
    "GBP/MXN 23.7562",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Bank of Mexico's rates are dated 12:00 in Mexico City, which has no summer time", () => {
  assert.deepEqual(momentsOf(parse("banxico")), ["2026-03-13T18:00:00.000000000Z"]);
  const summer = parseWith("banxico", "13/03/2026", "13/07/2026");
  assert.deepEqual(momentsOf(summer), ["2026-07-13T18:00:00.000000000Z"]);
});

test("the token of the Bank of Mexico is in a header, not in the address", () => {
  const [request] = requestsOf(publisherOf("banxico"), Date.parse("2026-03-14T05:59:59Z"), "abcd");
  assert.deepEqual(request?.headers, { "bmx-token": "abcd" });
  assert.match(
    request.address,
    /\/SF43718,SF46410,SF46407,SF46406,SF60632\/datos\/2026-03-03\/2026-03-13$/,
  );
});

test("a day for which the Bank of Mexico has no figure is left out", () => {
  const lines = parseWith("banxico", '"dato":"17.9218"', '"dato":"N/E"');
  assert.equal(figuresOf(lines)[0], "USD/MXN 17.8368");
  assert.deepEqual(rejectionsOf(lines), []);
});

const oddSeries = [
  ["SF43718", "SF1", '"SF1" names no currency that Kurs knows'],
  ['"dato":"17.9218"', '"dato":"17,9218"', '"USD/MXN" has no rate'],
  ["13/03/2026", "13 de marzo", '"USD/MXN" has no date such as 2026-03-13'],
] as const;

for (const [from, to, reason] of oddSeries) {
  test(`a series of the Bank of Mexico with ${to} is rejected, and the others are kept`, () => {
    const lines = parseWith("banxico", from, to);
    assert.equal(rejectionsOf(lines)[0], reason);
    assert.equal(figuresOf(lines).at(-1)?.slice(0, 7), "GBP/MXN");
  });
}

test("a thousands separator of the Bank of Mexico is no decimal comma", () => {
  const lines = parseWith("banxico", '"dato":"17.9218"', '"dato":"1,017.9218"');
  assert.equal(figuresOf(lines)[0], "USD/MXN 1017.9218");
});
