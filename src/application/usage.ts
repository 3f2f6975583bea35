import { type BillingPeriod, billingPeriodAt } from "../domain/billing.ts";
import { type AccountUsage, type Clock, StoreUnavailable, type UsageStore } from "./ports.ts";

/** What an account has used of its quota in the present billing period. */
export interface UsageReport extends AccountUsage {
  readonly period: BillingPeriod;
}

/** @throws {StoreUnavailable} when the store or the account's plan cannot be read. */
export type ReadUsage = (accountId: string) => Promise<UsageReport>;

export function createReadUsage(uses: {
  readonly store: UsageStore;
  readonly clock: Clock;
}): ReadUsage {
  const { store, clock } = uses;
  return async (accountId) => {
    const period = billingPeriodAt(clock.nowMs());
    const usage = await store.usageOf(accountId, period.name);
    if (usage === undefined) throw new StoreUnavailable("the account or its plan is not stored");
    return { ...usage, period };
  };
}
