import { StoreUnavailable } from "../../../platform/shared/store.ts";
import type { Pair } from "../../../rates/served/rules/symbol.ts";
import type { ReadWithoutQuota } from "../store.ts";

/**
 * The outcome of a read whose account's plan is not stored. It fails alone: the batch's other reads
 * belong to other accounts.
 */
export function readWithoutQuota(accountId: string, pair: Pair | undefined): ReadWithoutQuota {
  if (pair === undefined) return { accountId, quota: undefined, found: "no_pair" };
  const what = `the plan of account ${accountId} is not stored; run kurs doctor`;
  return { accountId, quota: undefined, found: new StoreUnavailable(new Error(what)) };
}
