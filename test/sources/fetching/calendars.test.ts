import assert from "node:assert/strict";
import { test } from "node:test";
import { createSchedule } from "../../../src/sources/fetching/schedule.ts";
import { cpuMsOf } from "../../support/resources.ts";

// Dates of 2026: 13 March is a Friday. Berlin's clocks go forward on Sunday, 29 March, and back on
// Sunday, 25 October; New York's go forward on Sunday, 8 March.
const ecb = createSchedule({ cron: "5 16 * * 1-5", timeZone: "Europe/Berlin" });
const cbr = createSchedule({ cron: "0 18 * * 1-5", timeZone: "Europe/Moscow" });
const boc = createSchedule({ cron: "35 16 * * 1-5", timeZone: "America/Toronto" });
const ust = createSchedule({ cron: "0 12 7 1,4,7,10 *", timeZone: "America/New_York" });
const kraken = createSchedule({ everySeconds: 30 });

type Source = typeof ecb;

function nextOf(schedule: Source, after: string): string {
  return new Date(schedule.next(Date.parse(after))).toISOString();
}

function missedOf(schedule: Source, newestAsOf: string | undefined, now: string): number {
  const newestMs = newestAsOf === undefined ? undefined : Date.parse(newestAsOf);
  return schedule.missed(newestMs, Date.parse(now));
}

test("the publisher's time of day stays when its clocks change, and the time in UTC moves", () => {
  assert.equal(nextOf(ecb, "2026-03-27T16:00:00Z"), "2026-03-30T14:05:00.000Z");
  assert.equal(nextOf(ecb, "2026-10-23T16:00:00Z"), "2026-10-26T15:05:00.000Z");
  assert.equal(nextOf(boc, "2026-03-06T22:00:00Z"), "2026-03-09T20:35:00.000Z");
  assert.equal(nextOf(boc, "2026-10-30T22:00:00Z"), "2026-11-02T21:35:00.000Z");
});

test("a quarterly publication comes in the next quarter, also of the next year", () => {
  assert.equal(nextOf(ust, "2026-01-07T17:00:00Z"), "2026-04-07T16:00:00.000Z");
  assert.equal(nextOf(ust, "2026-10-07T16:00:00Z"), "2027-01-07T17:00:00.000Z");
});

test("each working day without a rate counts once, and weekends do not count", () => {
  const thursday = "2026-03-12T15:00:00Z";
  for (const [now, missed] of [
    ["2026-03-13T17:06:00Z", 1],
    ["2026-03-15T12:00:00Z", 1],
    ["2026-03-16T17:06:00Z", 2],
    ["2026-03-20T17:06:00Z", 6],
    ["2026-03-22T12:00:00Z", 6],
    ["2026-03-23T17:06:00Z", 7],
  ] as const) {
    assert.equal(missedOf(ecb, thursday, now), missed, now);
  }
});

test("a change of the clocks neither causes nor hides a missed publication", () => {
  const beforeSpring = "2026-03-27T15:00:00Z";
  assert.equal(missedOf(ecb, beforeSpring, "2026-03-30T16:04:00Z"), 0);
  assert.equal(missedOf(ecb, beforeSpring, "2026-03-30T16:06:00Z"), 1);
  assert.equal(missedOf(ecb, "2026-03-30T14:00:00Z", "2026-03-30T16:06:00Z"), 0);
  const beforeAutumn = "2026-10-23T14:00:00Z";
  assert.equal(missedOf(ecb, beforeAutumn, "2026-10-26T17:04:00Z"), 0);
  assert.equal(missedOf(ecb, beforeAutumn, "2026-10-26T17:06:00Z"), 1);
});

test("a rate that is dated a day after its publication belongs to that publication", () => {
  // The Bank of Russia publishes on Friday the rates for Saturday on, Moscow time.
  const forSaturday = "2026-03-13T21:00:00Z";
  assert.equal(missedOf(cbr, forSaturday, "2026-03-13T20:00:00Z"), 0);
  assert.equal(missedOf(cbr, forSaturday, "2026-03-16T16:59:00Z"), 0);
  assert.equal(missedOf(cbr, forSaturday, "2026-03-16T17:01:00Z"), 1);
});

test("a quarter's rates are fresh for a quarter, although dated before their publication", () => {
  const firstQuarter = "2026-03-31T04:00:00Z";
  assert.equal(missedOf(ust, firstQuarter, "2026-04-08T00:00:00Z"), 0);
  assert.equal(missedOf(ust, firstQuarter, "2026-06-30T12:00:00Z"), 0);
  assert.equal(missedOf(ust, firstQuarter, "2026-07-07T17:59:00Z"), 0);
  assert.equal(missedOf(ust, firstQuarter, "2026-07-07T18:01:00Z"), 1);
  assert.equal(missedOf(ust, firstQuarter, "2026-10-08T12:00:00Z"), 2);
});

test("a polled source is stale after five minutes without a rate, also at weekends", () => {
  const newest = "2026-03-14T12:00:00Z";
  for (const [now, missed] of [
    ["2026-03-14T12:00:00Z", 0],
    ["2026-03-14T12:05:00Z", 0],
    ["2026-03-14T12:05:01Z", 1],
    ["2026-03-14T12:06:00Z", 2],
    ["2026-03-15T12:00:00Z", 99],
  ] as const) {
    assert.equal(missedOf(kraken, newest, now), missed, now);
  }
});

test("a rate from the near future does not count as missed", () => {
  for (const schedule of [ecb, ust, kraken]) {
    assert.equal(missedOf(schedule, "2026-03-15T11:00:00Z", "2026-03-14T12:00:00Z"), 0);
  }
});

test("the count of missed publications stops at 99 and takes little time", async () => {
  const tookMs = await cpuMsOf(() => {
    assert.equal(missedOf(ecb, "1999-01-04T15:00:00Z", "2026-03-14T12:00:00Z"), 99);
    assert.equal(missedOf(ust, "1800-01-01T00:00:00Z", "2026-03-14T12:00:00Z"), 99);
  });
  assert.ok(tookMs < 2000, `${tookMs} ms of CPU time`);
});
