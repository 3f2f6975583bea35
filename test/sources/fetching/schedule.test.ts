import assert from "node:assert/strict";
import { test } from "node:test";
import { createSchedule } from "../../../src/sources/fetching/schedule.ts";
import { publisherOf } from "../publishers/recorded.ts";

const ecb = createSchedule({ cron: "5 16 * * 1-5", timeZone: "Europe/Berlin" });

const treasury = createSchedule(publisherOf("ust").schedule);

const at = (time: string) => Date.parse(time);
const nextOf = (time: string) => new Date(ecb.next(at(time))).toISOString();

test("the next publication is on the next weekday at the publisher's own time of day", () => {
  assert.equal(nextOf("2026-11-19T15:05:00Z"), "2026-11-20T15:05:00.000Z");
  assert.equal(nextOf("2026-11-20T15:04:59Z"), "2026-11-20T15:05:00.000Z");
  assert.equal(nextOf("2026-11-20T15:05:00Z"), "2026-11-23T15:05:00.000Z");
});

test("the time of day stays when daylight-saving time begins and ends", () => {
  assert.equal(nextOf("2026-03-27T20:00:00Z"), "2026-03-30T14:05:00.000Z");
  assert.equal(nextOf("2026-10-23T20:00:00Z"), "2026-10-26T15:05:00.000Z");
});

const missed = (newest: string, now: string) => ecb.missed(at(newest), at(now));

test("weekends do not count as missed", () => {
  const friday = "2026-11-20T15:00:00Z";
  assert.equal(missed(friday, "2026-11-20T18:00:00Z"), 0);
  assert.equal(missed(friday, "2026-11-22T23:00:00Z"), 0);
  assert.equal(missed(friday, "2026-11-23T15:00:00Z"), 0);
});

test("a publication counts as missed two hours after it was due", () => {
  const thursday = "2026-11-19T15:00:00Z";
  assert.equal(missed(thursday, "2026-11-20T17:04:59Z"), 0);
  assert.equal(missed(thursday, "2026-11-20T17:05:01Z"), 1);
  assert.equal(missed(thursday, "2026-11-24T18:00:00Z"), 3);
});

test("a source that never gave a rate has missed one, and the count stops at 99", () => {
  assert.equal(ecb.missed(undefined, at("2026-11-21T12:00:00Z")), 1);
  assert.equal(missed("2020-01-02T15:00:00Z", "2026-11-21T12:00:00Z"), 99);
});

test("a quarterly publication satisfies its quarter, and a quarter later it counts as missed", () => {
  const quarterly = createSchedule({ cron: "0 12 7 1,4,7,10 *", timeZone: "America/New_York" });
  const newest = at("2026-03-31T04:00:00Z");
  assert.equal(quarterly.missed(newest, at("2026-06-30T00:00:00Z")), 0);
  assert.equal(quarterly.missed(newest, at("2026-07-08T00:00:00Z")), 1);
});

test("an amendment within a quarter belongs to its publication, and hides no later one", () => {
  const followingOf = (asOf: string) => new Date(treasury.following(at(asOf)) ?? 0).toISOString();
  assert.equal(followingOf("2026-03-31T04:00:00Z"), "2026-07-07T16:00:00.000Z");
  assert.equal(followingOf("2026-05-31T04:00:00Z"), "2026-07-07T16:00:00.000Z");
  assert.equal(followingOf("2026-06-30T04:00:00Z"), "2026-10-07T16:00:00.000Z");
  assert.equal(followingOf("2026-12-31T05:00:00Z"), "2027-04-07T16:00:00.000Z");
  for (const [now, count] of [
    ["2026-06-15T12:00:00Z", 0],
    ["2026-07-07T17:59:00Z", 0],
    ["2026-07-07T18:01:00Z", 1],
    ["2026-10-08T00:00:00Z", 2],
  ] as const) {
    assert.equal(treasury.missed(at("2026-05-31T04:00:00Z"), at(now)), count, now);
  }
  assert.equal(treasury.missed(at("2026-06-30T04:00:00Z"), at("2026-10-07T17:00:00Z")), 0);
});

test("amendments are looked for on working days, and are no publications of the calendar", () => {
  // 9 May 2026 is a Saturday.
  const friday = at("2026-05-08T16:00:00Z");
  const dayOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);
  assert.equal(dayOf(treasury.nextFetch(friday)), "2026-05-11");
  assert.equal(dayOf(treasury.next(friday)), "2026-07-07");
});

test("a polled source is stale after five minutes without a rate", () => {
  const poll = createSchedule({ everySeconds: 30 });
  const newest = at("2026-11-21T12:00:00Z");
  assert.equal(poll.next(newest), newest + 30_000);
  assert.equal(poll.missed(newest, newest + 300_000), 0);
  assert.equal(poll.missed(newest, newest + 360_000), 2);
});

test("the next change is when a publication is due, and when it becomes overdue", () => {
  const at = (time: string) => Date.parse(time);
  const friday = at("2026-11-20T15:00:00Z");
  const due = at("2026-11-23T15:05:00Z");
  const overdue = at("2026-11-23T17:05:00Z");

  assert.equal(ecb.nextChange(at("2026-11-21T12:00:00Z")), due);
  assert.equal(ecb.nextChange(due), overdue);
  assert.equal(ecb.isOverdue(friday, overdue - 1000), false);
  assert.equal(ecb.isOverdue(friday, overdue), true);
  assert.equal(createSchedule({ everySeconds: 30 }).nextChange(due), undefined);
});

test("until the next change, nothing changes for a rate that stays the same", () => {
  const asOf = Date.parse("2026-11-18T15:00:00Z");
  const state = (nowMs: number) =>
    [ecb.isOverdue(asOf, nowMs), ecb.missed(asOf, nowMs), ecb.next(nowMs)].join(" ");
  let fromMs = Date.parse("2026-11-18T16:00:00Z");
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
