import assert from "node:assert/strict";
import { test } from "node:test";
import { targetDays } from "../../../harness/archives.ts";
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

test("a range among complete ones has failed for the dates that it lacks, and names what came instead", () => {
  const ranges = ["2023-10-01 2023-12-31", "2024-01-01 2024-12-31", "2025-01-01 2025-03-31"].map(
    (dates) => ({ from: dates.slice(0, 10), to: dates.slice(11), requests: 1 }),
  );
  const expects = "and 251 later dates that its calendar expects; the response has";
  for (const [from, to, fault] of [
    ["", "", `no figure for 2024-01-02 ${expects} none`],
    [
      "2025-01-01",
      "2025-03-31",
      `no figure for 2024-01-02 ${expects} figures of 2025-01-02 to 2025-03-31`,
    ],
    ["2024-01-01", "2024-12-31", undefined],
  ] as const) {
    const { schedule, publishedAt } = publisherOf("cnb");
    const now = Date.parse("2026-03-13T12:00:00Z");
    const check = createRangeCheck(createSchedule(schedule, publishedAt?.time), now);
    const checked = ranges.flatMap((range, index) => {
      const dates = index === 1 ? { from, to } : range;
      return check.add(range, dates.from === "" ? [] : targetDays(dates.from, dates.to));
    });
    assert.deepEqual(
      checked.map((one) => one.fault),
      [undefined, fault, undefined],
    );
  }
});
