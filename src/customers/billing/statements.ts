import type { Clock } from "../../platform/shared/clock.ts";
import { Failure, sessionRequired } from "../../platform/shared/failure.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { StoreUnavailable } from "../../platform/shared/store.ts";
import {
  type BillingPeriod,
  isFinal,
  isInPeriod,
  parseBillingPeriod,
  sumOfUnits,
} from "./rules.ts";
import type { StatedUnits, UsageStore } from "./store.ts";

/** What an account was charged in a billing period. */
export interface Statement extends StatedUnits {
  readonly accountId: string;
  readonly period: BillingPeriod;
  /** RFC 3339; undefined for a final statement, whose bytes are the same each time. */
  readonly madeAt: string | undefined;
}

/** Signs bytes: a JWS (RFC 7515) without them. Undefined where the operator has no signing key. */
export type SignDetached = ((payload: Uint8Array) => Promise<string>) | undefined;

export const invalidPeriod = new Failure(
  "invalid_request",
  "period must be a month as YYYY-MM, such as 2026-11.",
);

export const periodNotBegun = new Failure("not_found", "This billing period has not begun.");

const periodBeforeAccount = new Failure(
  "not_found",
  "This billing period ended before the account was created.",
);

/**
 * Reads an account's statement of a period, to its end or to now.
 *
 * @param periodName a month as `2026-11`.
 * @throws {Failure} for an invalid name, and for a period that has not begun or was before the
 *   account; `unauthorized` for a deleted account.
 * @throws {StoreUnavailable} also when the account's days and its counter differ.
 */
export type ReadStatement = (accountId: string, periodName: string) => Promise<Statement>;

export function createReadStatement(uses: {
  readonly store: {
    readonly usage: UsageStore;
    readonly accounts: {
      findById(accountId: string): Promise<{ readonly createdAt: string } | undefined>;
    };
  };
  readonly clock: Clock;
}): ReadStatement {
  const { store, clock } = uses;
  return async (accountId, periodName) => {
    const period = parseBillingPeriod(periodName);
    if (period === undefined) throw invalidPeriod;
    // Before the units are read: they contain every charge until then.
    const nowMs = clock.nowMs();
    if (period.startMs > nowMs) throw periodNotBegun;
    const account = await store.accounts.findById(accountId);
    if (account === undefined) throw sessionRequired;
    const stated = await store.usage.ofStatement(accountId, period.name);
    const { periodUnits: usedUnits, days } = stated;
    const existed = isInPeriod({ ...account, deletedAt: undefined, usedUnits }, period);
    if (!existed) throw periodBeforeAccount;
    if (sumOfUnits(days) !== usedUnits) {
      const what = `account ${accountId}: units of ${period.name} by day and by period differ`;
      throw new StoreUnavailable(new Error(`${what}; run kurs doctor`));
    }
    const madeAt = isFinal(period, nowMs) ? undefined : timestamp(nowMs);
    return { ...stated, accountId, period, madeAt };
  };
}
