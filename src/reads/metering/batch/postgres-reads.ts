import { StoreUnavailable } from "../../../platform/shared/store.ts";
import type { PastFigure } from "../../../rates/served/rules/past.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import type { PastSearch, RateRead, RateReadOutcome } from "../store.ts";
import type { FoundRows, KnownKey, KnownRate } from "./postgres-caches.ts";
import type { Taken } from "./postgres-limits.ts";
import { isServed, rateFound } from "./rate-found.ts";
import { planUnitsAt } from "./take-unit.ts";
import { readWithoutQuota } from "./without-quota.ts";

/** An account in a batch. */
export interface Account {
  readonly id: string;
  quotaUnits: number;
  wantedUnits: number;
  /** Its usage before the batch, and the units that the batch got. */
  usedUnits: number;
  grantedUnits: number;
}

/** A read of an active key whose account has a quota. */
export interface MeteredRead {
  readonly index: number;
  readonly key: KnownKey;
  readonly account: Account;
  readonly pair: Pair | undefined;
  readonly past: PastSearch | undefined;
  readonly nowMs: number;
  /** Of a read of a past time, once it is found. */
  figure?: PastFigure;
  /** Its number among its account's reads of pairs, or the number of those before it. */
  number: number;
  /** What it got, where a cap or a grant decides on a read of the batch. */
  taken?: Taken | undefined;
}

/** Numbers the reads of each account, in order of arrival. The outcomes of the others are known. */
export function meter(reads: readonly RateRead[], keys: ReadonlyMap<string, KnownKey>) {
  const outcomes: RateReadOutcome[] = reads.map(() => undefined);
  const accounts = new Map<string, Account>();
  const metered: MeteredRead[] = [];
  for (const [index, { keyHash, pair, past, nowMs }] of reads.entries()) {
    const key = keys.get(keyHash);
    if (key === undefined) continue;
    const { accountId: id, plan } = key;
    const rejection = key.rejection ?? (nowMs >= key.expiresAtMs ? "expired" : undefined);
    if (rejection !== undefined) {
      outcomes[index] = { accountId: id, quota: undefined, found: undefined, rejection };
      continue;
    }
    if (plan === undefined) {
      outcomes[index] = readWithoutQuota(id, pair);
      continue;
    }
    const account = accounts.getOrInsertComputed(id, () => {
      const quotaUnits = planUnitsAt(plan, nowMs);
      return { id, quotaUnits, wantedUnits: 0, usedUnits: 0, grantedUnits: 0 };
    });
    if (pair !== undefined) account.wantedUnits += 1;
    metered.push({ index, key, account, pair, past, nowMs, number: account.wantedUnits });
  }
  return { outcomes, metered };
}

export function outcomeOf(
  read: MeteredRead,
  rates: FoundRows<KnownRate> | StoreUnavailable,
): RateReadOutcome {
  const { pair, past, figure, key } = read;
  const { by, quota, keyQuotas } = read.taken ?? takenOf(read);
  const outcome = { accountId: key.accountId, quota, keyQuotas };
  if (pair === undefined) return { ...outcome, found: "no_pair" };
  if (by === "exhausted" || by === "key_exhausted") return { ...outcome, found: by };
  const found =
    rates instanceof StoreUnavailable
      ? rates
      : rateFound(pair, (wanted) => rates.rows.get(pairName(wanted)));
  const isPast = past !== undefined && isServed(found);
  return { ...outcome, found: isPast ? (figure ?? "no_figure") : found };
}

/** What the statement gave a read of a batch whose units were not taken before. */
function takenOf({ account, number }: MeteredRead): Taken {
  const { quotaUnits, grantedUnits } = account;
  const usedUnits = account.usedUnits + Math.min(number, grantedUnits);
  if (number <= grantedUnits) return { by: "plan", quota: { quotaUnits, usedUnits } };
  // Another node may have charged the last unit since the statement's snapshot.
  return { by: "exhausted", quota: { quotaUnits, usedUnits: Math.max(usedUnits, quotaUnits) } };
}
