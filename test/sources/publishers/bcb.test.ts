import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesOf, bodiesOf, figuresOf, momentsOf, parse, rejectionsOf } from "./recorded.ts";

test("PTAX has a buying and a selling rate of the last day for each of ten currencies", () => {
  const lines = parse("bcb");
  assert.deepEqual(figuresOf(lines.filter(({ kind }) => kind === "buying")), [
    "AUD/BRL 3.70320",
    "CAD/BRL 3.87970",
    "CHF/BRL 6.77930",
    "DKK/BRL 0.81930",
    "EUR/BRL 6.12200",
    "GBP/BRL 7.06260",
    "JPY/BRL 0.03355",
    "NOK/BRL 0.55010",
    "SEK/BRL 0.57390",
    "USD/BRL 5.28720",
  ]);
  const selling = figuresOf(lines.filter(({ kind }) => kind === "selling"));
  assert.equal(selling.length, 10);
  assert.equal(selling.at(-1), "USD/BRL 5.28780");
  assert.deepEqual(rejectionsOf(lines), []);
});

test("each rate of PTAX names the document of its currency", () => {
  const places = parse("bcb").map((line) => line.place);
  assert.deepEqual(
    places.filter((_, index) => index % 2 === 0),
    Array.from({ length: 10 }, (_, index) => index),
  );
});

test("PTAX is dated with the time of its bulletin in Brasília, which has no summer time", () => {
  assert.deepEqual(momentsOf(parse("bcb")), ["2026-03-06T16:10:27.630000000Z"]);
  const summer = bodiesOf("bcb").map((body) =>
    body.toString().replaceAll("2026-03-06", "2026-12-07"),
  );
  assert.deepEqual(momentsOf(parse("bcb", summer)), ["2026-12-07T16:10:27.630000000Z"]);
});

test("PTAX is requested for a week of days until today in Brasília, month first", () => {
  const addresses = addressesOf("bcb", Date.parse("2027-01-04T02:59:59Z"));
  assert.equal(addresses.length, 10);
  const { searchParams } = new URL(addresses[4] ?? "");
  assert.equal(searchParams.get("@moeda"), "'EUR'");
  assert.equal(searchParams.get("@dataInicial"), "'12-27-2026'");
  assert.equal(searchParams.get("@dataFinalCotacao"), "'01-03-2027'");
  assert.equal(searchParams.get("$filter"), "tipoBoletim eq 'Fechamento'");
});

test("a currency of PTAX without a bulletin is a failure, which the others do not hide", () => {
  assert.throws(() => parse("bcb", bodiesOf("bcb").with(3, Buffer.from('{"value":[]}'))), {
    reason: "no rates in the response: a list is empty",
  });
});

const oddRows = [
  ['"cotacaoCompra":6.12200,', "", '"EUR/BRL" has no rate'],
  ["2026-03-06 13:10:27.63", "06/03/2026", '"EUR/BRL" has no date such as 2026-03-13'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a bulletin of PTAX with ${to || "no figure"} is rejected, and the others are kept`, () => {
    const eur = bodiesOf("bcb")[4]?.toString().replace(from, to) ?? "";
    const lines = parse("bcb", bodiesOf("bcb").with(4, Buffer.from(eur)));
    assert.ok(figuresOf(lines).includes("USD/BRL 5.28720"));
    assert.equal(rejectionsOf(lines)[0], reason);
  });
}
