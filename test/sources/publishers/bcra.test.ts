import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Central Bank of Argentina's pesos per 1,000 dong have their point moved, and what is no currency is left out", () => {
  const lines = parse("bcra");
  assert.deepEqual(figuresOf(lines), [
    "MXN/ARS 78.43832100",
    "USD/ARS 1394.50000000",
    "VND/ARS 0.05304096500",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Central Bank of Argentina's rates are dated 17:00 in Buenos Aires, all year", () => {
  assert.deepEqual(momentsOf(parse("bcra")), ["2026-03-19T20:00:00.000000000Z"]);
  const other = parseWith("bcra", '"fecha":"2026-03-19', '"fecha":"2026-07-20');
  assert.deepEqual(momentsOf(other), ["2026-07-20T20:00:00.000000000Z"]);
});

const oddRows = [
  ["C/1.000 U", "C/1.500 U", '"VND/ARS" is not for a power of ten of units'],
  ['"tipoCotizacion":53.04096500', '"tipoCotizacion":null', '"VND/ARS" has no rate'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the Central Bank of Argentina with ${to || "no rate"} is rejected, the others kept`, () => {
    const lines = parseWith("bcra", from, to);
    assert.equal(figuresOf(lines).length, 2);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
