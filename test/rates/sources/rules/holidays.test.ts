import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fridayFrom,
  fromEaster,
  mondayFrom,
  once,
  workdayFrom,
  yearly,
} from "../../../../src/rates/sources/rules/holidays.ts";

test("Easter Sunday is right in its earliest, latest and exceptional years", () => {
  const sundays = [
    "1818-03-22",
    "1943-04-25",
    "1954-04-18",
    "1961-04-02",
    "1981-04-19",
    "2000-04-23",
    "2038-04-25",
    "2049-04-18",
    "2076-04-19",
    "2285-03-22",
  ];
  for (const sunday of sundays) {
    assert.equal(fromEaster(0)(Number(sunday.slice(0, 4)))?.toString(), sunday);
  }
});

test("a holiday is on the nth weekday from a day, moves from a weekend, or is of one year", () => {
  assert.equal(mondayFrom("09-01")(2025)?.toString(), "2025-09-01");
  assert.equal(mondayFrom("09-01")(2026)?.toString(), "2026-09-07");
  assert.equal(fridayFrom("06-19")(2026)?.toString(), "2026-06-19");
  assert.equal(fridayFrom("06-19")(2027)?.toString(), "2027-06-25");

  const days = (year: number) =>
    [workdayFrom("12-25"), workdayFrom("12-25", 2)].map((day) => day(year)?.day);
  assert.deepEqual(days(2025), [25, 26]);
  assert.deepEqual(days(2026), [25, 28]);
  assert.deepEqual(days(2027), [27, 28]);
  assert.deepEqual(days(2033), [26, 27]);

  assert.equal(once("2026-01-09")(2026)?.toString(), "2026-01-09");
  assert.equal(once("2026-01-09")(2027), undefined);
  assert.equal(yearly("12-25")(2027)?.toString(), "2027-12-25");
});
