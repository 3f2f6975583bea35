import { type Clock, DAY_MS } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { PAGE_ROWS, pagesOf } from "../../platform/shared/pages.ts";
import { StoreUnavailable } from "../../platform/shared/store.ts";
import { type BillingPeriod, billingPeriodAt, isInPeriod, utcDay } from "./rules.ts";
import type {
  AccountUnits,
  AccountUsage,
  BilledKeyUnits,
  DailyUnits,
  DayOfAccount,
  DayOfKey,
  UsageStore,
} from "./store.ts";

/** An account's usage in the current billing period. */
export interface UsageReport extends AccountUsage {
  readonly period: BillingPeriod;
}

/** When a key was charged last, and its units in the current billing period. */
export interface KeyUsage {
  readonly keyId: string;
  /** A UTC day; undefined for a key that was never charged. */
  readonly lastUsedOn: string | undefined;
  readonly units: number;
}

export type UsageReads = ReturnType<typeof createUsageReads>;

/** Reads the usage of one account. Everything throws `StoreUnavailable`. */
export function createUsageReads(uses: {
  readonly store: { readonly usage: UsageStore };
  readonly clock: Clock;
}) {
  const { store, clock } = uses;
  return {
    /** @throws {StoreUnavailable} also when the account's plan cannot be read. */
    async readUsage(accountId: string): Promise<UsageReport> {
      const nowMs = clock.nowMs();
      const period = billingPeriodAt(nowMs);
      const usage = await store.usage.ofPeriod(accountId, period.name, timestamp(nowMs));
      if (usage !== undefined) return { ...usage, period };
      const what = `account ${accountId} or its plan is not stored; run kurs doctor`;
      throw new StoreUnavailable(new Error(what));
    },

    /**
     * Reads an account's units by UTC day and key, oldest day first, in pages of bounded size. Days
     * without units are left out.
     *
     * @param days how many days, today included.
     */
    async *readDays(accountId: string, days: number): AsyncGenerator<DailyUnits[], void> {
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
    },

    /**
     * Reads the usage of each key of an account, revoked ones too, oldest first, in pages of
     * bounded size. Yields after each query, so that a caller can pace them: an empty page while
     * the months of a page's keys are read, from the current one back until each key's last day is
     * found, or to the creation of the first key.
     */
    async *readKeys(accountId: string): AsyncGenerator<KeyUsage[], void> {
      const current = billingPeriodAt(clock.nowMs());
      const read = (afterId: string, limit: number) => store.usage.keys(accountId, afterId, limit);
      for await (const page of pagesOf("", read, ({ keyId }) => keyId)) {
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
        yield page.map(
          ({ keyId }) => used.get(keyId) ?? { keyId, lastUsedOn: undefined, units: 0 },
        );
      }
    },
  };
}

interface ExportStore {
  readonly usage: UsageStore;
}

/**
 * Reads every account with its units in a period, in order of the id, in pages of bounded size.
 * Accounts that were created after the period's end and have no units in it are left out. Pages are
 * read one after the other: while the period lasts, later ones contain later charges.
 *
 * @throws {StoreUnavailable}
 */
export async function* readUnitsByAccount(
  store: ExportStore,
  period: BillingPeriod,
): AsyncGenerator<AccountUnits[], void> {
  const read = (afterId: string, limit: number) => store.usage.ofAccounts(period, afterId, limit);
  for await (const page of pagesOf("", read, ({ accountId }) => accountId)) {
    yield page.filter((account) => isInPeriod(account, period));
  }
}

/**
 * Reads the units of every account in a period by UTC day and key, in order of the account's id,
 * the day and the key's creation, in pages of bounded size. Days without units are left out.
 *
 * @throws {StoreUnavailable}
 */
export async function* readUnitsByKeyAndDay(
  store: ExportStore,
  period: BillingPeriod,
): AsyncGenerator<BilledKeyUnits[], void> {
  const lastDay = utcDay(period.endMs - DAY_MS);
  for await (const accounts of readUnitsByAccount(store, period)) {
    const charged = accounts.filter(({ usedUnits }) => usedUnits > 0);
    const [first, last] = [charged[0], charged.at(-1)];
    if (first === undefined || last === undefined) continue;
    const end = { accountId: last.accountId, day: lastDay };
    const start = { accountId: first.accountId, day: period.name, keyId: "" };
    const read = (after: DayOfAccount, limit: number) => store.usage.byKey(after, end, limit);
    const byId = new Map(accounts.map((account) => [account.accountId, account]));
    for await (const page of pagesOf(start, read, (units) => units)) {
      // One that a node whose clock is behind charges since its page was read is not among them.
      yield page.flatMap((units) => {
        const account = byId.get(units.accountId);
        return account === undefined ? [] : [{ ...account, ...units }];
      });
    }
  }
}
