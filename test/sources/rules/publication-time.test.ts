import assert from "node:assert/strict";
import { test } from "node:test";
import { publicationTime } from "../../../src/sources/rules/publication-time.ts";

test("a winter afternoon in Berlin is one hour ahead of UTC", () => {
  const moment = publicationTime("2026-03-13", "16:00", "Europe/Berlin");
  assert.equal(moment, "2026-03-13T15:00:00.000000000Z");
});

test("the same time of day is one hour earlier in UTC in summer time", () => {
  const before = publicationTime("2026-03-28", "16:00", "Europe/Berlin");
  const after = publicationTime("2026-03-29", "16:00", "Europe/Berlin");
  assert.equal(before, "2026-03-28T15:00:00.000000000Z");
  assert.equal(after, "2026-03-29T14:00:00.000000000Z");
});

test("midnight in New York falls on the same date in UTC, in summer and winter time", () => {
  const summer = publicationTime("2026-03-31", "00:00", "America/New_York");
  const winter = publicationTime("2025-12-31", "00:00", "America/New_York");
  assert.equal(summer, "2026-03-31T04:00:00.000000000Z");
  assert.equal(winter, "2025-12-31T05:00:00.000000000Z");
});

test("a zone ahead of UTC may give the day before", () => {
  const moment = publicationTime("2026-01-01", "00:30", "Europe/Prague");
  assert.equal(moment, "2025-12-31T23:30:00.000000000Z");
});

test("a time of day that the clocks skip counts as in winter time", () => {
  const moment = publicationTime("2026-03-29", "02:30", "Europe/Berlin");
  assert.equal(moment, "2026-03-29T01:30:00.000000000Z");
});

test("of a time of day that the clocks repeat the first one counts", () => {
  const moment = publicationTime("2026-10-25", "02:30", "Europe/Berlin");
  assert.equal(moment, "2026-10-25T00:30:00.000000000Z");
});

test("a leap day exists only in a leap year", () => {
  const leapYear = publicationTime("2028-02-29", "12:00", "Europe/Warsaw");
  assert.equal(leapYear, "2028-02-29T11:00:00.000000000Z");
  assert.equal(publicationTime("2026-02-29", "12:00", "Europe/Warsaw"), undefined);
});

const impossibleDates = [
  ["an empty text", ""],
  ["a thirteenth month", "2026-13-01"],
  ["a thirty-first of April", "2026-04-31"],
  ["a day without its leading zero", "2026-3-13"],
  ["a date without dashes", "20260313"],
  ["a date with a time", "2026-03-13T16:00"],
  ["a date with white space", " 2026-03-13"],
  ["a year of five digits", "12026-03-13"],
  ["digits that are not ASCII", "٢٠٢٦-03-13"],
  ["words", "yesterday"],
] as const;

for (const [what, date] of impossibleDates) {
  test(`${what} is not a date`, () => {
    assert.equal(publicationTime(date, "16:00", "Europe/Berlin"), undefined);
  });
}

test("a time beyond the year 9999 cannot be written", () => {
  assert.equal(publicationTime("9999-12-31", "23:00", "America/New_York"), undefined);
});

test("an unknown time of day or zone gives undefined and does not throw", () => {
  assert.equal(publicationTime("2026-03-13", "25:00", "Europe/Berlin"), undefined);
  assert.equal(publicationTime("2026-03-13", "16:00", "Europe/Atlantis"), undefined);
});
