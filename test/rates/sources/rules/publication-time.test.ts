import assert from "node:assert/strict";
import { test } from "node:test";
import { publicationTime } from "../../../../src/rates/sources/rules/publication-time.ts";

const moments: readonly (readonly [
  date: string,
  time: string,
  timeZone: string,
  moment: string | undefined,
  why: string,
])[] = [
  ["2026-03-13", "16:00", "Europe/Berlin", "2026-03-13T15:00", "winter"],
  ["2026-03-28", "16:00", "Europe/Berlin", "2026-03-28T15:00", "the last day of winter time"],
  ["2026-03-29", "16:00", "Europe/Berlin", "2026-03-29T14:00", "the first day of summer time"],
  ["2026-03-31", "00:00", "America/New_York", "2026-03-31T04:00", "summer behind UTC"],
  ["2025-12-31", "00:00", "America/New_York", "2025-12-31T05:00", "winter behind UTC"],
  ["2026-01-01", "00:30", "Europe/Prague", "2025-12-31T23:30", "the day before in UTC"],
  ["2026-03-29", "02:30", "Europe/Berlin", "2026-03-29T01:30", "a time that the clocks skip"],
  ["2026-10-25", "02:30", "Europe/Berlin", "2026-10-25T00:30", "a time that they repeat"],
  ["2028-02-29", "12:00", "Europe/Warsaw", "2028-02-29T11:00", "a leap day"],
  ["2026-02-29", "12:00", "Europe/Warsaw", undefined, "no leap year"],
  ["9999-12-31", "23:00", "America/New_York", undefined, "beyond the year 9999"],
  ["2026-03-13", "25:00", "Europe/Berlin", undefined, "an unknown time of day"],
  ["2026-03-13", "16:00", "Europe/Atlantis", undefined, "an unknown zone"],
  ...[
    ...["", "2026-13-01", "2026-04-31", "2026-3-13", "20260313", "2026-03-13T16:00"],
    ...[" 2026-03-13", "12026-03-13", "٢٠٢٦-03-13", "yesterday"],
  ].map((date) => [date, "16:00", "Europe/Berlin", undefined, "no date"] as const),
];

for (const [date, time, timeZone, moment, why] of moments) {
  test(`"${date}" at ${time} in ${timeZone} is ${moment ?? "no moment"}: ${why}`, () => {
    const expected = moment === undefined ? undefined : `${moment}:00.000000000Z`;
    assert.equal(publicationTime(date, time, timeZone), expected);
  });
}
