import assert from "node:assert/strict";
import { NOW, type StoreTest } from "./database.ts";

const YEAR_2024 = { from: "2024-01-01", to: "2024-12-31" };
const YEAR_2025 = { from: "2025-01-01", to: "2025-12-31" };

export function backfillSuite(test: StoreTest): void {
  test("a completed range of a backfill is remembered once, for its source", async ({
    backfills,
  }, _, other) => {
    await backfills.complete("cnb", YEAR_2025, NOW);
    await backfills.complete("cnb", YEAR_2024, NOW);
    await backfills.complete("cnb", YEAR_2024, NOW);

    assert.deepEqual(await other.backfills.completedRanges("cnb"), [YEAR_2024, YEAR_2025]);
    assert.deepEqual(await other.backfills.completedRanges("nbp"), []);
  });

  test("a finished backfill forgets the ranges within its dates only", async ({ backfills }) => {
    for (const source of ["cnb", "nbp"]) {
      await backfills.complete(source, YEAR_2024, NOW);
      await backfills.complete(source, YEAR_2025, NOW);
    }

    await backfills.forget("cnb", { from: "2024-06-01", to: "2026-03-13" });

    assert.deepEqual(await backfills.completedRanges("cnb"), [YEAR_2024]);
    assert.deepEqual(await backfills.completedRanges("nbp"), [YEAR_2024, YEAR_2025]);
  });
}
