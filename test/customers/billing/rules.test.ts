import assert from "node:assert/strict";
import { test } from "node:test";
import {
  billingPeriodAt,
  isInPeriod,
  isReached,
  MAX_PLAN_UNITS,
  noticePeriodsAt,
  parseBillingPeriod,
  remainingUnits,
  utcDay,
  utilization,
} from "../../../src/customers/billing/rules.ts";
import { fc } from "../../support/properties.ts";

const anyMs = fc.integer({
  min: Date.parse("1970-01-01T00:00:00Z"),
  max: Date.parse("9998-12-31T23:59:59.999Z"),
});

const anyQuota = fc.record({
  quotaUnits: fc.integer({ min: 1, max: MAX_PLAN_UNITS }),
  usedUnits: fc.integer({ min: 0, max: MAX_PLAN_UNITS }),
});

/** Used over quota in ten-thousandths, rounded half up by integer arithmetic. */
function tenThousandths(usedUnits: number, quotaUnits: number): bigint {
  const quota = BigInt(quotaUnits);
  return (BigInt(usedUnits) * 20_000n + quota) / (2n * quota);
}

function assertUtilization(usedUnits: number, quotaUnits: number): void {
  const expected = Number(tenThousandths(usedUnits, quotaUnits)) / 10_000;
  assert.equal(utilization({ usedUnits, quotaUnits }), expected, `${usedUnits} of ${quotaUnits}`);
}

test("a billing period is the calendar month in UTC", () => {
  assert.deepEqual(billingPeriodAt(Date.parse("2026-11-21T04:36:21.723Z")), {
    name: "2026-11",
    start: "2026-11-01T00:00:00.000Z",
    end: "2026-12-01T00:00:00.000Z",
    startMs: Date.parse("2026-11-01T00:00:00Z"),
    endMs: Date.parse("2026-12-01T00:00:00Z"),
  });
});

test("the name of every period since the year 1000 leads to that period, and no other text does", () => {
  fc.assert(
    fc.property(anyMs, (ms) => {
      const period = billingPeriodAt(ms);
      assert.deepEqual(parseBillingPeriod(period.name), period);
    }),
  );
  const others = "|2026|2026-1|2026-13|2026-00|0999-12|12026-01| 2026-11|2026-11 |２０２６-11";
  for (const text of others.split("|")) assert.equal(parseBillingPeriod(text), undefined, text);
});

test("every instant and its UTC day are in exactly one period, and consecutive periods have no gap", () => {
  fc.assert(
    fc.property(anyMs, (ms) => {
      const period = billingPeriodAt(ms);
      const { name, start, end, startMs, endMs } = period;
      assert.ok(startMs <= ms && ms < endMs);
      assert.deepEqual([Date.parse(start), Date.parse(end)], [startMs, endMs]);
      assert.equal(start, `${name}-01T00:00:00.000Z`);
      assert.ok(utcDay(ms).startsWith(`${name}-`));
      assert.deepEqual(billingPeriodAt(startMs), period);
      assert.deepEqual(billingPeriodAt(endMs - 1), period);
      const next = billingPeriodAt(endMs);
      assert.deepEqual([next.startMs, next.start], [endMs, end]);
      assert.notEqual(next.name, name);
    }),
  );
});

test("a period has the accounts that existed in it, from its first millisecond to its last", () => {
  const november = billingPeriodAt(Date.parse("2026-11-15T00:00:00Z"));
  const isIn = (createdAt: string, deletedAt?: string, usedUnits = 0) =>
    isInPeriod({ createdAt, deletedAt, usedUnits }, november);
  const [before, start] = ["2026-10-31T23:59:59.999Z", "2026-11-01T00:00:00.000Z"];
  const [last, end] = ["2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00.000Z"];

  assert.deepEqual([isIn(before), isIn(last), isIn(end)], [true, true, false]);
  assert.deepEqual([isIn(before, start), isIn(before, before)], [true, false]);
  assert.deepEqual([isIn(end, undefined, 1), isIn(before, before, 1)], [true, true]);
});

test("a UTC day changes at midnight UTC", () => {
  assert.equal(utcDay(Date.parse("2026-11-21T23:59:59.999Z")), "2026-11-21");
  assert.equal(utcDay(Date.parse("2026-11-22T00:00:00.000Z")), "2026-11-22");
});

test("remaining units are never negative, and the utilization of a quota of 0 is 1", () => {
  const figuresOf = (quotaUnits: number, usedUnits: number) => {
    const quota = { quotaUnits, usedUnits };
    return [remainingUnits(quota), utilization(quota)];
  };
  assert.deepEqual(
    [figuresOf(10, 3), figuresOf(10, 25)],
    [
      [7, 0.3],
      [0, 2.5],
    ],
  );
  assert.deepEqual(
    [figuresOf(0, 0), figuresOf(0, 5)],
    [
      [0, 1],
      [0, 1],
    ],
  );
});

test("utilization equals the result of integer arithmetic for any quota", () => {
  fc.assert(
    fc.property(anyQuota, ({ usedUnits, quotaUnits }) => assertUtilization(usedUnits, quotaUnits)),
    { numRuns: 1000 },
  );
});

test("utilization equals the result of integer arithmetic just below and just above a half", () => {
  const nearHalf = fc
    .record({ quotaUnits: fc.integer({ min: 20_000, max: MAX_PLAN_UNITS }), half: fc.nat(9_999) })
    .map(({ quotaUnits, half }) => {
      const used = (BigInt(2 * half + 1) * BigInt(quotaUnits)) / 20_000n;
      return { quotaUnits, usedUnits: Number(used) };
    });
  fc.assert(
    fc.property(nearHalf, ({ usedUnits, quotaUnits }) => {
      assertUtilization(usedUnits, quotaUnits);
      assertUtilization(usedUnits + 1, quotaUnits);
    }),
    { numRuns: 5000 },
  );
});

test("utilization is rounded down a trillionth below a half, even on the largest plans", () => {
  // Found by solving (2k + 1) * quota = 20,000 * used + 1: the float quotient is the half itself.
  assertUtilization(846_149_999_989, 999_999_999_987);
  assertUtilization(882_349_999_985, 999_999_999_983);
  assertUtilization(999_949_999_999, 999_999_999_999);
});

test("a threshold is reached exactly from its share of the quota on, for any quota", () => {
  fc.assert(
    fc.property(anyQuota, fc.integer({ min: 1, max: 100 }), (quota, percent) => {
      const [used, units] = [BigInt(quota.usedUnits), BigInt(quota.quotaUnits)];
      assert.equal(isReached({ percent }, quota), used * 100n >= units * BigInt(percent));
    }),
  );
  for (const usedUnits of [0, 5]) {
    const quota = { quotaUnits: 0, usedUnits };
    assert.deepEqual(
      [isReached({ percent: 1 }, quota), isReached({ units: 5 }, quota)],
      [false, usedUnits === 5],
    );
  }
});

test("notices are due for the current period and, for an hour, for the one before", () => {
  const namesAt = (time: string) => noticePeriodsAt(Date.parse(time)).map(({ name }) => name);
  assert.deepEqual(namesAt("2026-11-30T23:59:59.999Z"), ["2026-11"]);
  assert.deepEqual(namesAt("2026-12-01T00:00:00.000Z"), ["2026-11", "2026-12"]);
  assert.deepEqual(namesAt("2027-01-01T00:59:59.999Z"), ["2026-12", "2027-01"]);
  assert.deepEqual(namesAt("2027-01-01T01:00:00.000Z"), ["2027-01"]);
});
