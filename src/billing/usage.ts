import { type Clock, DAY_MS } from "../shared/clock.ts";
import { PAGE_ROWS } from "../shared/page-size.ts";
import { StoreUnavailable } from "../shared/store.ts";
import { type BillingPeriod, billingPeriodAt, utcDay } from "./rules.ts";
import type { AccountUsage, DailyUnits, DayOfKey, UsageStore } from "./store.ts";

/** An account's usage in the current billing period. */
export interface UsageReport extends AccountUsage {
  readonly period: BillingPeriod;
}

/** @throws {StoreUnavailable} when the store or the account's plan cannot be read. */
export type ReadUsage = (accountId: string) => Promise<UsageReport>;

export function createReadUsage(uses: {
  readonly store: { readonly usage: UsageStore };
  readonly clock: Clock;
}): ReadUsage {
  const { store, clock } = uses;
  return async (accountId) => {
    const period = billingPeriodAt(clock.nowMs());
    const usage = await store.usage.ofPeriod(accountId, period.name);
    if (usage === undefined) {
      const what = `account ${accountId} or its plan is not stored; run kurs doctor`;
      throw new StoreUnavailable(new Error(what));
    }
    return { ...usage, period };
  };
}

/**
 * Reads an account's units by UTC day and key, oldest day first, in pages of bounded size. Days
 * without units are left out.
 *
 * @param days how many days, today included.
 * @throws {StoreUnavailable}
 */
export type ReadDailyUsage = (
  accountId: string,
  days: number,
) => AsyncGenerator<DailyUnits[], void>;

export function createReadDailyUsage(uses: {
  readonly store: { readonly usage: UsageStore };
  readonly clock: Clock;
}): ReadDailyUsage {
  const { store, clock } = uses;
  return async function* (accountId, days) {
    const nowMs = clock.nowMs();
    const today = utcDay(nowMs);
    let after: DayOfKey = { day: utcDay(nowMs - (days - 1) * DAY_MS), keyId: "" };
    while (after.day <= today) {
      const month = billingPeriodAt(Date.parse(after.day));
      const monthEnd = utcDay(month.endMs - DAY_MS);
      const lastDay = monthEnd < today ? monthEnd : today;
      const page = await store.usage.byDay(accountId, after, lastDay, PAGE_ROWS);
      yield page;
      const isWhole = page.length < PAGE_ROWS;
      after = isWhole ? { day: utcDay(month.endMs), keyId: "" } : (page.at(-1) ?? after);
    }
  };
}
