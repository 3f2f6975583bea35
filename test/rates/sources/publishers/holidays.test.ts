import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DAY_MS } from "../../../../src/platform/shared/clock.ts";
import { createSchedule } from "../../../../src/rates/sources/fetching/schedule.ts";
import { publisherOf } from "./recorded.ts";

const scheduleOf = (key: string) => createSchedule(publisherOf(key).schedule);

const at = (time: string) => Date.parse(time);

/** The days from Monday to Friday of a year for which a publisher's schedule has no publication. */
function closedWeekdaysOf(key: string, year: number): string[] {
  const schedule = scheduleOf(key);
  const published = new Set<string>();
  const endMs = at(`${year + 1}-01-01T00:00:00Z`);
  let nextMs = schedule.next(at(`${year}-01-01T00:00:00Z`));
  // UTC has the date on which each of these publishers publishes.
  for (; nextMs < endMs; nextMs = schedule.next(nextMs)) {
    published.add(new Date(nextMs).toISOString().slice(0, 10));
  }
  const days = Array.from({ length: 366 }, (_, index) => new Date(endMs - (366 - index) * DAY_MS));
  return days
    .filter((day) => day.getUTCFullYear() === year && ![0, 6].includes(day.getUTCDay()))
    .map((day) => day.toISOString().slice(0, 10))
    .filter((day) => !published.has(day))
    .map((day) => day.slice(5));
}

const spaced = (days: string) => (days === "" ? [] : days.split(" "));

/** Of publishers and years of which no whole archive was recorded. */
const closedDays: readonly (readonly [key: string, year: number, days: string])[] = [
  ["nbp", 2026, "01-01 01-06 04-06 05-01 06-04 11-11 12-24 12-25"],
  ["norges", 2026, "01-01 04-02 04-03 04-06 05-01 05-14 05-25 12-24 12-25"],
  ["norges", 2027, "01-01 03-25 03-26 03-29 05-06 05-17 12-24"],
  ["riksbank", 2026, "01-01 01-06 04-03 04-06 05-01 05-14 06-19 12-24 12-25 12-31"],
  [
    "cbr",
    2026,
    "01-01 01-02 01-05 01-06 01-07 01-08 01-09 02-23 03-09 05-01 05-11 06-12 11-04 12-31",
  ],
  // Through August 2026 as in the bank's own file of the year.
  ["bnr", 2026, "01-01 01-02 01-06 01-07 04-10 04-13 05-01 06-01 11-30 12-01 12-25"],
  ["dnb", 2026, "01-01 04-02 04-03 04-06 05-01 05-14 05-15 05-25 06-05 12-24 12-25 12-31"],
  ["nbg", 2026, "01-01 01-02 01-07 01-19 03-03 04-09 04-10 04-13 05-12 05-26 08-28 10-14 11-23"],
  // Christmas and Boxing Day are at a weekend: Monday and Tuesday.
  ["rba", 2027, "01-01 01-26 03-26 03-29 06-14 08-02 10-04 12-27 12-28"],
  ["nbkr", 2026, "01-01 01-07 02-23 05-01 05-05 08-31"],
  ["snb", 2026, "01-01 04-03 04-06 05-14 05-25 12-25"],
  ["sbi", 2026, "01-01 04-02 04-03 04-06 04-23 05-01 05-14 05-25 06-17 08-03 12-25"],
  ["nbu", 2026, ""],
  ["nbk", 2026, "01-01 01-02 01-07 03-23 05-01 05-07 07-06 12-16"],
  ["nbm", 2026, "01-01 01-07 01-08 04-13 04-20 05-01 06-01 08-27 08-31 12-25"],
  ["nbrm", 2026, "01-01 01-07 04-13 05-01 05-25 09-08 10-23 12-08"],
  ["cba", 2026, "01-01 01-02 01-06 01-28 04-24 05-01 05-28 09-21 12-31"],
  ["hnb", 2026, "01-01 04-03 04-06 05-01 12-25"],
  ["bnm", 2026, "05-01 06-01 08-31 09-16 12-25"],
  ["amcm", 2026, "01-01 05-01 10-01"],
  ["sarb", 2026, "01-01 04-03 04-06 04-27 05-01 06-16 08-10 09-24 12-16 12-25"],
  ["cbu", 2026, "01-01 09-01 10-01 12-08"],
  [
    "bcra",
    2026,
    "01-01 02-16 02-17 03-24 04-02 04-03 05-01 05-25 06-15 07-09 08-17 10-12 11-23 12-08 12-25",
  ],
  ["nbrb", 2026, "01-01 01-02 01-07 04-21 05-01 07-03 12-25"],
  ["mnb", 2026, "01-01 04-03 04-06 05-01 05-25 08-20 10-23 12-24 12-25"],
  ["bazg", 2026, "01-01 04-03 04-06 05-14 05-25 12-25"],
  ["tcmb", 2026, "01-01 04-23 05-01 05-19 07-15 10-29"],
  ["bcb", 2026, "01-01 02-16 02-17 04-03 04-21 05-01 06-04 09-07 10-12 11-02 11-20 12-25"],
  ["tcmb", 2008, "01-01 04-23 05-19 10-29"],
  ["sarb", 2009, "01-01 04-10 04-13 04-27 05-01 06-16 09-24 12-16 12-25"],
  ["bcb", 2023, "02-20 02-21 04-07 04-21 05-01 06-08 09-07 10-12 11-02 11-15 12-25"],
  ["amcm", 2015, "01-01 05-01 10-01"],
  ["imf", 2021, "01-01 01-18 02-15 05-31 09-06"],
  ["banxico", 2026, "01-01 02-02 03-16 04-02 04-03 05-01 09-16 11-02 11-16 12-25"],
  ["bdi", 2026, "01-01 04-03 04-06 05-01 12-25"],
  ["boe", 2026, "01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-28"],
  ["boi", 2026, "01-01 04-02 04-08 04-22 05-22 09-21 12-25"],
  ["cbar", 2026, "01-01 01-02 01-20 03-20 03-23 03-24 05-28 06-15 06-26 11-09 12-31"],
  ["cbbh", 2026, "01-01 05-01"],
  [
    "boj",
    2026,
    "01-01 01-02 01-12 02-11 02-23 03-20 04-29 05-04 05-05 05-06 07-20 08-11 09-21 09-22 09-23 10-12 11-03 11-23 12-31",
  ],
  ["bam", 2026, "01-01 01-14 05-01 07-30 08-14 08-20 08-21 11-06 11-18"],
  ["frb", 2026, "01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25"],
  ["mas", 2026, "01-01 02-17 02-18 04-03 05-01 05-27 06-01 08-10 11-09 12-25"],
  ["imf", 2026, "01-01 01-19 02-16 05-25 09-07 12-25"],
  [
    "cfets",
    2026,
    "01-01 01-02 02-16 02-17 02-18 02-19 02-20 02-23 04-06 05-01 05-04 05-05 06-19 09-25 10-01 10-02 10-05 10-06 10-07",
  ],
  [
    "bot",
    2026,
    "01-01 01-02 03-03 04-06 04-13 04-14 04-15 05-01 05-04 06-01 06-03 07-28 07-29 10-13 10-23 12-07 12-10 12-31",
  ],
  ["cbn", 2026, "01-01 04-03 04-06 05-01 06-12 10-01 12-25"],
  ["bcrp", 2026, "01-01 04-02 04-03 05-01 06-29 07-23 07-28 07-29 08-06 10-08 12-08 12-09 12-25"],
  ["bcch", 2026, "01-01 04-03 05-01 05-21 06-29 07-16 09-18 10-12 12-08 12-25"],
  ["nbe", 2026, "01-07 01-19 03-02 04-10 05-01 05-05 09-11"],
  ["nbe", 2027, "01-07 01-19 03-02 04-30 05-05 09-28"],
  ["cbt", 2026, "01-01 05-18 10-06"],
  ["bfm", 2026, "01-01 04-06 05-01 05-14 05-25 06-26 12-25"],
  ["cbk", 2027, "01-01 03-26 03-29 06-01 10-11 10-20 12-13 12-27"],
];

for (const [key, year, days] of closedDays) {
  test(`${key} is expected to publish on every weekday of ${year} but its holidays`, () => {
    assert.deepEqual(closedWeekdaysOf(key, year), spaced(days));
  });
}

test("without an entry for a year, a day that a government moves counts as a publication", () => {
  // 9 January 2026 was a day off by decree; later decrees are not known.
  const after = at("2027-01-08T20:00:00Z");
  assert.equal(new Date(scheduleOf("cbr").next(after)).toISOString(), "2027-01-11T15:00:00.000Z");
  assert.deepEqual(closedWeekdaysOf("cbr", 2027), [
    ...spaced("01-01 01-04 01-05 01-06 01-07 01-08 02-23 03-08 11-04"),
  ]);
});

const recorded = readFileSync(join(import.meta.dirname, "fixtures/closed-days.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [range = "", days = ""] = line.split(":");
    const [key = "", first = "", last = ""] = range.split(" ");
    return { key, first, last, days: new Set(days.split(" ")) };
  });

/** How many days without a publication the calendar counts as open: it may, but not the reverse. */
const openDays: ReadonlyMap<string, number> = new Map([["sfc", 15]]);

for (const key of new Set(recorded.map((one) => one.key))) {
  test(`${key} published nothing on the days that its calendar has as closed`, () => {
    const source = publisherOf(key.replace(/-b$/, ""));
    const isWeekly = key.endsWith("-b");
    const calendar = isWeekly ? source.rarerPairs?.schedule : source.schedule;
    assert.ok(calendar !== undefined);
    const { publicationOf } = createSchedule(calendar, source.publishedAt?.time);
    const daysLater = ["sfc", "cbr"].includes(key) ? 1 : 0;
    let open = 0;
    for (const { first, last, days } of recorded.filter((one) => one.key === key)) {
      for (let day = Temporal.PlainDate.from(first); ; day = day.add({ days: 1 })) {
        const name = day.toString().slice(5);
        const isUsual = isWeekly ? day.dayOfWeek === 3 : day.dayOfWeek < 6;
        const isPublished = days.has(`+${name}`) || (isUsual && !days.has(name));
        const isExpected = publicationOf?.(day.add({ days: daysLater }).toString()) !== undefined;
        assert.ok(isExpected || !isPublished, `${key} published on ${day}`);
        if (isExpected && !isPublished) open += 1;
        if (day.toString() === last) break;
      }
    }
    assert.equal(open, openDays.get(key) ?? 0);
  });
}
