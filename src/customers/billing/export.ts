import { DAY_MS } from "../../platform/shared/clock.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import { type BillingPeriod, isInPeriod, utcDay } from "./rules.ts";
import type { AccountUnits, DayOfAccount, KeyUnits, UsageStore } from "./store.ts";

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
  const read = (afterId: string, limit: number) =>
    store.usage.ofAccounts(period.name, afterId, limit);
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
): AsyncGenerator<KeyUnits[], void> {
  const lastDay = utcDay(period.endMs - DAY_MS);
  for await (const accounts of readUnitsByAccount(store, period)) {
    const charged = accounts.filter(({ usedUnits }) => usedUnits > 0);
    const [first, last] = [charged[0], charged.at(-1)];
    if (first === undefined || last === undefined) continue;
    const end = { accountId: last.accountId, day: lastDay };
    const start = { accountId: first.accountId, day: period.name, keyId: "" };
    const read = (after: DayOfAccount, limit: number) => store.usage.byKey(after, end, limit);
    yield* pagesOf(start, read, (units) => units);
  }
}
