import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHolidays } from "../../../../src/rates/sources/rules/holidays.ts";

/** The days of a list in a year: `2026-04-03`. */
const daysOf = (list: string, year: number) =>
  parseHolidays(`2000-: ${list}`).days.flatMap((day) => day(year)?.toString() ?? []);

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
    assert.deepEqual(daysOf("easter+0", Number(sunday.slice(0, 4))), [sunday]);
  }
});

test("a holiday is on the nth weekday from a day, moves from a weekend, or is of one year", () => {
  assert.deepEqual(daysOf("09-01 monday (Labour Day)", 2025), ["2025-09-01"]);
  assert.deepEqual(daysOf("09-01 monday", 2026), ["2026-09-07"]);
  assert.deepEqual(daysOf("06-19 friday", 2026), ["2026-06-19"]);
  assert.deepEqual(daysOf("06-19 friday", 2027), ["2027-06-25"]);

  const christmas = "12-25 workday, 12-25 workday 2";
  assert.deepEqual(daysOf(christmas, 2025), ["2025-12-25", "2025-12-26"]);
  assert.deepEqual(daysOf(christmas, 2026), ["2026-12-25", "2026-12-28"]);
  assert.deepEqual(daysOf(christmas, 2027), ["2027-12-27", "2027-12-28"]);
  assert.deepEqual(daysOf(christmas, 2033), ["2033-12-26", "2033-12-27"]);

  assert.deepEqual(daysOf("2026-01-09, 12-25", 2026), ["2026-01-09", "2026-12-25"]);
  assert.deepEqual(daysOf("2026-01-09, 12-25", 2027), ["2027-12-25"]);
  assert.deepEqual(daysOf("", 2027), []);
  assert.throws(() => daysOf("12-25 sunday", 2027), /no weekday is called sunday/);
});

test("a holiday has a first and a last year, and a weekend may have a working day", () => {
  const list = "12-24 (Christmas Eve) 2025-, easter+26 -2023, 09-30 workday 2021-2022, 05-08 2020";
  const years = (...of: number[]) => of.map((year) => daysOf(list, year));
  assert.deepEqual(years(2020, 2021, 2024, 2025), [
    ["2020-05-08", "2020-05-08"],
    ["2021-04-30", "2021-09-30"],
    [],
    ["2025-12-24"],
  ]);
  const { days, workdays, known } = parseHolidays("2013-2026: 2026-01-09, 2026-04-25 open");
  assert.deepEqual([days.length, workdays.length], [1, 1]);
  assert.deepEqual(known, { first: 2013, last: 2026 });
  assert.deepEqual(parseHolidays("none: 01-01").known, { first: 0, last: 0 });
});
