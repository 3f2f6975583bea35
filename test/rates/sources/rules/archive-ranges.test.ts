import assert from "node:assert/strict";
import { test } from "node:test";
import { type RequestUnit, rangesBy } from "../../../../src/rates/sources/rules/archive-ranges.ts";

const cut = (unit: RequestUnit, from: string, to: string) =>
  rangesBy(unit, { from, to }).map((range) => `${range.from} ${range.to}`);

test("dates are cut at the ends of years, quarters and months, which may be parts at both ends", () => {
  assert.deepEqual(cut("year", "2023-06-15", "2025-01-01"), [
    "2023-06-15 2023-12-31",
    "2024-01-01 2024-12-31",
    "2025-01-01 2025-01-01",
  ]);

  assert.deepEqual(cut("quarter", "2024-02-29", "2024-12-31"), [
    "2024-02-29 2024-03-31",
    "2024-04-01 2024-06-30",
    "2024-07-01 2024-09-30",
    "2024-10-01 2024-12-31",
  ]);

  assert.deepEqual(cut("month", "2024-02-10", "2024-04-01"), [
    "2024-02-10 2024-02-29",
    "2024-03-01 2024-03-31",
    "2024-04-01 2024-04-01",
  ]);

  const ends = (from: string) => cut("quarter", from, "2026-03-13").map((range) => range.slice(11));
  assert.deepEqual(ends("2025-02-01"), ends("2020-05-17").slice(-5));
});

test("days are cut one by one; an archive of one file has one range, and no dates have none", () => {
  const days = cut("day", "2024-02-28", "2024-03-01");
  assert.deepEqual(days, [
    "2024-02-28 2024-02-28",
    "2024-02-29 2024-02-29",
    "2024-03-01 2024-03-01",
  ]);
  assert.equal(cut("day", "2024-12-31", "2025-01-01").length, 2);

  assert.deepEqual(cut("everything", "1999-01-04", "2026-03-13"), ["1999-01-04 2026-03-13"]);
  assert.deepEqual(cut("year", "2024-01-02", "2024-01-01"), []);
});
