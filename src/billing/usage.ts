import { createBatcher } from "../async/batcher.ts";
import { type Clock, DAY_MS } from "../shared/clock.ts";
import { sessionRequired } from "../shared/failure.ts";
import { PAGE_ROWS } from "../shared/page-size.ts";
import { StoreUnavailable } from "../shared/store.ts";
import { type BillingPeriod, billingPeriodAt, utcDay } from "./rules.ts";
import type {
  AccountUsage,
  DailyUnits,
  DayOfKey,
  SessionTimes,
  SessionUsageStore,
  UsageStore,
} from "./store.ts";

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
    if (usage === undefined) throw notStored(accountId);
    return { ...usage, period };
  };
}

function notStored(accountId: string): StoreUnavailable {
  const what = `account ${accountId} or its plan is not stored; run kurs doctor`;
  return new StoreUnavailable(new Error(what));
}

/** Bounds how long a batch blocks the event loop: 1,000 usages take some 3 ms. */
const USAGES_PER_BATCH = 1000;

/**
 * Checks a session's token and reads the usage of its account, in one look-up for all requests that
 * arrive together.
 *
 * @throws {Failure} `unauthorized`
 * @throws {StoreUnavailable} when the store or the account's plan cannot be read.
 */
export type ReadSessionUsage = (token: string | undefined) => Promise<UsageReport>;

export function createReadSessionUsage(uses: {
  readonly store: { readonly sessionUsage: SessionUsageStore };
  readonly clock: Clock;
  readonly sessions: {
    /** @returns a token's digest; undefined for a text that is no token. */
    digestOf(token: string | undefined): string | undefined;
    timesAt(nowMs: number): SessionTimes;
  };
}): ReadSessionUsage {
  const { clock, sessions } = uses;
  const { sessionUsage } = uses.store;

  const read = createBatcher(async (tokenHashes: readonly string[]) => {
    const nowMs = clock.nowMs();
    const period = billingPeriodAt(nowMs);
    const search = { tokenHashes, ...sessions.timesAt(nowMs), period: period.name };
    const found = await sessionUsage.usageOfSessions(search);
    return found.map((session) => ({ session, period }));
  }, USAGES_PER_BATCH);

  return (token) => {
    const tokenHash = sessions.digestOf(token);
    if (tokenHash === undefined) return Promise.reject(sessionRequired);
    return read(tokenHash).then(({ session, period }) => {
      if (session === undefined) throw sessionRequired;
      if (session.usage === undefined) throw notStored(session.accountId);
      return { ...session.usage, period };
    });
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
