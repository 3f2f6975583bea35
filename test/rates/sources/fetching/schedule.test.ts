import assert from "node:assert/strict";
import { test } from "node:test";
import { createSchedule } from "../../../../src/rates/sources/fetching/schedule.ts";
import { publisherOf } from "../publishers/recorded.ts";

const HOUR_MS = 3_600_000;

const scheduleOf = (key: string) => createSchedule(publisherOf(key).schedule);
const at = (time: string) => Date.parse(time);
const timeOf = (ms: number | undefined) => new Date(ms ?? Number.NaN).toISOString();

// Dates of 2026: 13 March is a Friday. Berlin's clocks go forward on Sunday, 29 March, and back on
// Sunday, 25 October; New York's go forward on Sunday, 8 March.
const nexts: readonly (readonly [key: string, after: string, next: string, why: string])[] = [
  ["ecb", "2026-11-19T15:05:00Z", "2026-11-20T15:05:00.000Z", "the next weekday"],
  ["ecb", "2026-11-20T15:04:59Z", "2026-11-20T15:05:00.000Z", "a second before it is due"],
  ["ecb", "2026-11-20T15:05:00Z", "2026-11-23T15:05:00.000Z", "over a weekend"],
  ["ecb", "2026-03-27T16:00:00Z", "2026-03-30T14:05:00.000Z", "Berlin's clocks go forward"],
  ["ecb", "2026-10-23T16:00:00Z", "2026-10-26T15:05:00.000Z", "Berlin's clocks go back"],
  ["boc", "2026-03-06T22:00:00Z", "2026-03-09T20:35:00.000Z", "Toronto's clocks go forward"],
  ["boc", "2026-10-30T22:00:00Z", "2026-11-02T21:35:00.000Z", "Toronto's clocks go back"],
  ["ust", "2026-01-07T17:00:00Z", "2026-04-07T16:00:00.000Z", "the next quarter"],
  ["ust", "2026-10-07T16:00:00Z", "2027-01-07T17:00:00.000Z", "the next year's quarter"],
  ["ust", "2023-04-07T00:00:00Z", "2023-04-07T16:00:00.000Z", "a Good Friday is none"],
  ["ecb", "2026-04-03T12:00:00Z", "2026-04-07T14:05:00.000Z", "over Easter"],
  ["kraken", "2026-11-21T12:00:00Z", "2026-11-21T12:00:30.000Z", "polled"],
];

for (const [key, after, next, why] of nexts) {
  test(`after ${after} ${key} publishes at ${next}: ${why}`, () => {
    assert.equal(timeOf(scheduleOf(key).next(at(after))), next);
  });
}

const missed: readonly (readonly [key: string, newest: string, now: string, count: number])[] = [
  // Each working day counts once, two hours after it was due; weekends do not.
  ["ecb", "2026-11-20T15:00:00Z", "2026-11-22T23:00:00Z", 0],
  ["ecb", "2026-11-19T15:00:00Z", "2026-11-20T17:04:59Z", 0],
  ["ecb", "2026-11-19T15:00:00Z", "2026-11-20T17:05:00Z", 1],
  ["ecb", "2026-03-12T15:00:00Z", "2026-03-15T12:00:00Z", 1],
  ["ecb", "2026-03-12T15:00:00Z", "2026-03-16T17:06:00Z", 2],
  ["ecb", "2026-03-12T15:00:00Z", "2026-03-20T17:06:00Z", 6],
  ["ecb", "2026-03-12T15:00:00Z", "2026-03-22T12:00:00Z", 6],
  ["ecb", "2026-03-12T15:00:00Z", "2026-03-23T17:06:00Z", 7],
  // A change of the clocks neither causes nor hides one.
  ["ecb", "2026-03-27T15:00:00Z", "2026-03-30T16:04:00Z", 0],
  ["ecb", "2026-03-27T15:00:00Z", "2026-03-30T16:06:00Z", 1],
  ["ecb", "2026-03-30T14:00:00Z", "2026-03-30T16:06:00Z", 0],
  ["ecb", "2026-10-23T14:00:00Z", "2026-10-26T17:04:00Z", 0],
  ["ecb", "2026-10-23T14:00:00Z", "2026-10-26T17:06:00Z", 1],
  // No publication is missed on a holiday, and the one before the holiday still counts on it.
  ["ecb", "2026-04-02T14:00:00Z", "2026-04-06T23:59:59Z", 0],
  ["ecb", "2026-04-02T14:00:00Z", "2026-04-07T16:04:59Z", 0],
  ["ecb", "2026-04-02T14:00:00Z", "2026-04-07T16:05:00Z", 1],
  ["ecb", "2026-04-02T14:00:00Z", "2026-04-08T16:05:00Z", 2],
  ["ecb", "2026-04-01T14:00:00Z", "2026-04-06T18:00:00Z", 1],
  ["norges", "2027-05-14T14:00:00Z", "2027-05-17T22:00:00Z", 0],
  ["norges", "2027-05-14T14:00:00Z", "2027-05-18T22:00:00Z", 1],
  // A rate that is published on a holiday does not stand in for the next publication.
  ["ecb", "2026-04-06T14:00:00Z", "2026-04-07T12:00:00Z", 0],
  ["ecb", "2026-04-06T14:00:00Z", "2026-04-07T16:05:00Z", 1],
  // The Bank of Russia publishes on Friday the rates for Saturday on, Moscow time.
  ["cbr", "2026-03-13T21:00:00Z", "2026-03-13T20:00:00Z", 0],
  ["cbr", "2026-03-13T21:00:00Z", "2026-03-16T16:59:00Z", 0],
  ["cbr", "2026-03-13T21:00:00Z", "2026-03-16T17:01:00Z", 1],
  // Dated the day after it was set, which is the first of ten days without a publication.
  ["cbr", "2025-12-30T21:00:00Z", "2026-01-11T22:00:00Z", 0],
  ["cbr", "2025-12-30T21:00:00Z", "2026-01-12T22:00:00Z", 1],
  // A quarter's rates are fresh for a quarter, and an amendment belongs to its quarter.
  ["ust", "2026-03-31T04:00:00Z", "2026-04-08T00:00:00Z", 0],
  ["ust", "2026-03-31T04:00:00Z", "2026-07-07T17:59:00Z", 0],
  ["ust", "2026-03-31T04:00:00Z", "2026-07-07T18:01:00Z", 1],
  ["ust", "2026-03-31T04:00:00Z", "2026-10-08T12:00:00Z", 2],
  ["ust", "2026-05-31T04:00:00Z", "2026-07-07T17:59:00Z", 0],
  ["ust", "2026-05-31T04:00:00Z", "2026-07-07T18:01:00Z", 1],
  ["ust", "2026-06-30T04:00:00Z", "2026-10-07T17:00:00Z", 0],
  // A polled source is stale after five minutes without a rate, also at weekends.
  ["kraken", "2026-03-14T12:00:00Z", "2026-03-14T12:05:00Z", 0],
  ["kraken", "2026-03-14T12:00:00Z", "2026-03-14T12:05:01Z", 1],
  ["kraken", "2026-03-14T12:00:00Z", "2026-03-14T12:06:00Z", 2],
  ["kraken", "2026-12-25T12:00:00Z", "2026-12-25T13:00:00Z", 99],
  // A rate from the near future is none that was missed; the count stops at 99.
  ["ecb", "2026-03-15T11:00:00Z", "2026-03-14T12:00:00Z", 0],
  ["ust", "2026-03-15T11:00:00Z", "2026-03-14T12:00:00Z", 0],
  ["kraken", "2026-03-15T11:00:00Z", "2026-03-14T12:00:00Z", 0],
  ["ecb", "1999-01-04T15:00:00Z", "2026-03-14T12:00:00Z", 99],
  ["ust", "1800-01-01T00:00:00Z", "2026-03-14T12:00:00Z", 99],
];

for (const [key, newest, now, count] of missed) {
  test(`with a rate of ${newest}, ${key} has missed ${count} at ${now}`, () => {
    const schedule = scheduleOf(key);
    assert.equal(schedule.missed(at(newest), at(now)), count);
    assert.equal(schedule.isOverdue(at(newest), at(now)), count > 0);
  });
}

test("a publication is awaited when it is due, not on a holiday, and a source without a rate has missed one", () => {
  for (const key of ["ecb", "kraken"]) {
    assert.equal(scheduleOf(key).missed(undefined, at("2026-11-21T12:00:00Z")), 1);
  }

  const isAwaited = (newest: string, now: string) =>
    scheduleOf("ecb").isAwaited(at(newest), at(now));
  assert.equal(isAwaited("2026-04-02T14:00:00Z", "2026-04-06T23:59:59Z"), false);
  assert.equal(isAwaited("2026-04-02T14:00:00Z", "2026-04-07T14:05:00Z"), true);
  assert.equal(isAwaited("2026-04-06T14:00:00Z", "2026-04-07T14:05:00Z"), true);
  assert.equal(isAwaited("2026-04-01T14:00:00Z", "2026-04-06T18:00:00Z"), true);
});

test("amendments belong to their quarter, and are looked for on working days; a holiday has a fetch", () => {
  const following = (asOf: string) => timeOf(scheduleOf("ust").following(at(asOf)));
  assert.equal(following("2026-03-31T04:00:00Z"), "2026-07-07T16:00:00.000Z");
  assert.equal(following("2026-05-31T04:00:00Z"), "2026-07-07T16:00:00.000Z");
  assert.equal(following("2026-06-30T04:00:00Z"), "2026-10-07T16:00:00.000Z");
  assert.equal(following("2026-12-31T05:00:00Z"), "2027-04-07T16:00:00.000Z");

  // 9 May 2026 is a Saturday, 3 April Good Friday.
  const dayOfFetch = (key: string, after: string) =>
    timeOf(scheduleOf(key).nextFetch(at(after))).slice(0, 10);
  assert.equal(dayOfFetch("ust", "2026-05-08T16:00:00Z"), "2026-05-11");
  assert.equal(dayOfFetch("ecb", "2026-04-03T12:00:00Z"), "2026-04-03");
});

test("the next change is when a publication is due, and when it becomes overdue", () => {
  const due = at("2026-11-23T15:05:00Z");
  const ecb = scheduleOf("ecb");
  assert.equal(ecb.nextChange(at("2026-11-21T12:00:00Z")), due);
  assert.equal(ecb.nextChange(due), due + 2 * HOUR_MS);
  assert.equal(scheduleOf("kraken").nextChange(due), undefined);
});

test("until the next change, nothing changes for a rate that stays the same", () => {
  const ecb = scheduleOf("ecb");
  const asOf = at("2026-11-18T15:00:00Z");
  const state = (nowMs: number) =>
    [ecb.isOverdue(asOf, nowMs), ecb.missed(asOf, nowMs), ecb.next(nowMs)].join(" ");
  let fromMs = at("2026-11-18T16:00:00Z");
  for (let change = 0; change < 12; change += 1) {
    const untilMs = ecb.nextChange(fromMs) ?? fromMs;
    assert.ok(untilMs > fromMs);
    for (const part of [0.25, 0.5, 0.99]) {
      const between = fromMs + Math.floor(((untilMs - fromMs) * part) / 1000) * 1000;
      assert.equal(state(between), state(fromMs));
    }
    assert.equal(state(untilMs - 1000), state(fromMs));
    fromMs = untilMs;
  }
});
