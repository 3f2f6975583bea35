import { createBatcher } from "../async/batcher.ts";
import { type Clock, DAY_MS } from "../shared/clock.ts";
import { sessionRequired } from "../shared/failure.ts";
import { PAGE_ROWS } from "../shared/page-size.ts";
import { StoreUnavailable } from "../shared/store.ts";
import { type BillingPeriod, billingPeriodAt, utcDay } from "./rules.ts";
import type {
  AccountUsage,
  CreatedKey,
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
 * Checks a session's token and reads the usage of its account, in one lookup for all requests that
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

/** When a key was charged last, and its units in the current billing period. */
export interface KeyUsage {
  readonly keyId: string;
  /** A UTC day; undefined for a key that was never charged. */
  readonly lastUsedOn: string | undefined;
  readonly units: number;
}

/**
 * Reads the usage of each key of an account, revoked ones too, oldest first, in pages of bounded
 * size. Yields after each query, so that a caller can pace them: an empty page while the months of
 * a page's keys are read, from the current one back until each key's last day is found, or to the
 * creation of the first key.
 *
 * @throws {StoreUnavailable}
 */
export type ReadKeyUsage = (accountId: string) => AsyncGenerator<KeyUsage[], void>;

export function createReadKeyUsage(uses: {
  readonly store: { readonly usage: UsageStore };
  readonly clock: Clock;
}): ReadKeyUsage {
  const { store, clock } = uses;

  return async function* (accountId) {
    const current = billingPeriodAt(clock.nowMs());
    let page: CreatedKey[];
    let afterId = "";
    do {
      page = await store.usage.keys(accountId, afterId, PAGE_ROWS);
      yield [];
      const [first, last] = [page[0], page.at(-1)];
      if (first === undefined || last === undefined) return;
      const used = new Map<string, KeyUsage>();
      let month = current;
      while (used.size < page.length && month.end > first.createdAt) {
        const { name } = month;
        const found = await store.usage.monthOfKeys(accountId, name, first.keyId, last.keyId);
        for (const { keyId, day, units } of found) {
          if (used.has(keyId)) continue;
          used.set(keyId, { keyId, lastUsedOn: day, units: month === current ? units : 0 });
        }
        yield [];
        month = billingPeriodAt(month.startMs - 1);
      }
      yield page.map(({ keyId }) => used.get(keyId) ?? { keyId, lastUsedOn: undefined, units: 0 });
      afterId = last.keyId;
    } while (page.length === PAGE_ROWS);
  };
}
