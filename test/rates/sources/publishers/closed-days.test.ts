import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createSchedule } from "../../../../src/rates/sources/fetching/schedule.ts";
import { publisherOf } from "./recorded.ts";

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
