import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("Colombia's representative rate is the latest one", () => {
  const lines = parse("sfc");
  assert.deepEqual(figuresOf(lines), ["USD/COP 3704.87"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("Colombia's representative rate is dated 00:00 in Bogotá, all year", () => {
  assert.deepEqual(momentsOf(parse("sfc")), ["2026-03-21T05:00:00.000000000Z"]);
  const winter = parseWith("sfc", '"vigenciadesde":"2026-03-2', '"vigenciadesde":"2025-12-2');
  assert.deepEqual(momentsOf(winter), ["2025-12-21T05:00:00.000000000Z"]);
});

const oddRows = [
  ['"valor":"3704.87"', '"valor":null', '"USD/COP" has no rate'],
  ['"3704.87","unidad":"COP"', '"3704.87"', '"USD/?" names no currency that Kurs knows'],
  [
    '"vigenciadesde":"2026-03-21T00:00:00.000"',
    '"vigenciadesde":"21/03/2026"',
    '"USD/COP" has no date such as 2026-03-13',
  ],
] as const;

for (const [part, to, reason] of oddRows) {
  test(`a row of Colombia's representative rate with ${to} is rejected, the other kept`, () => {
    const lines = parseWith("sfc", part, to);
    assert.deepEqual(figuresOf(lines), ["USD/COP 3692.48"]);
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
