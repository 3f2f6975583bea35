import assert from "node:assert/strict";
import { test } from "node:test";
import { createRangeCheck } from "../../../src/rates/backfill/range-check.ts";
import { createSchedule } from "../../../src/rates/sources/fetching/schedule.ts";
import { publisherOf } from "../sources/publishers/recorded.ts";

const NOW = Date.parse("2024-05-02T12:00:00Z");

/** Whether a response of an archive for some dates is one that has failed. */
function hasFailed(key: string, from: string, to: string, stated: readonly string[]): boolean {
  const { schedule, publishedAt } = publisherOf(key);
  const check = createRangeCheck(createSchedule(schedule, publishedAt?.time), NOW);
  const [checked] = check.add({ from, to, requests: 1 }, stated);
  assert.ok(checked !== undefined, `${key} ${from}`);
  return checked.fault !== undefined;
}

const tables: readonly (readonly [key: string, dates: string, stated: string, failed: boolean])[] =
  [
    ["hmrc", "2024-03-01 2024-03-31", "2024-03-01", false],
    ["hmrc", "2024-03-01 2024-03-31", "2024-04-01", true],
    ["hmrc", "2024-03-01 2024-03-31", "", true],
    // Without the first day no table begins.
    ["hmrc", "2024-03-02 2024-03-31", "", false],
    ["bazg-monthly", "2022-07-01 2022-07-31", "2024-05-01", true],
    ["inforeuro", "2024-05-01 2024-05-31", "", true],
    ["inforeuro", "2024-06-01 2024-06-30", "", false],
    ["ust", "2023-01-01 2023-12-31", "", true],
    // The end of the quarter is not among these, and the table of March is out since April.
    ["ust", "2024-04-01 2024-05-02", "", false],
    ["ust", "2024-01-01 2024-05-02", "", true],
    ["hmrc-average", "2024-01-01 2024-03-31", "", true],
    ["hmrc-average", "2024-04-01 2024-05-02", "", false],
    ["hkma", "2024-01-01 2024-03-31", "", true],
    ["hkma", "2024-04-01 2024-05-02", "", false],
  ];

for (const [key, dates, stated, failed] of tables) {
  test(`${key}: ${dates} with ${stated || "nothing"} has ${failed ? "" : "not "}failed`, () => {
    const [from = "", to = ""] = dates.split(" ");
    assert.equal(hasFailed(key, from, to, stated === "" ? [] : [stated]), failed);
  });
}
