import type { Quota } from "./rules.ts";

export interface Plan {
  readonly name: string;
  readonly unitsPerPeriod: number;
}

export interface PlanStore {
  list(): Promise<Plan[]>;
  /** Adds a plan, or changes the units of one. */
  set(plan: Plan): Promise<void>;
  /**
   * Removes a plan that no account uses.
   *
   * @returns "unknown" when it is not stored, or the number of accounts that use it, counted up to
   *   `countMax`: then it stays.
   */
  remove(name: string, countMax: number): Promise<"removed" | "unknown" | number>;
  /** Names of plans that accounts have but that are not stored. */
  missing(): Promise<string[]>;
}

export interface AccountUsage extends Quota {
  readonly plan: string;
}

/** A UTC day of one key. */
export interface DayOfKey {
  readonly day: string;
  readonly keyId: string;
}

/** The units that one key was charged on one UTC day. */
export interface DailyUnits extends DayOfKey {
  readonly units: number;
}

/** An account and its units in one billing period. */
export interface AccountUnits extends AccountUsage {
  readonly accountId: string;
  readonly email: string;
  readonly createdAt: string;
}

/** A UTC day of one key of an account. */
export interface DayOfAccount extends DayOfKey {
  readonly accountId: string;
}

/** The units that one key of an account was charged on one UTC day. */
export interface KeyUnits extends DayOfAccount, DailyUnits {
  readonly email: string;
  readonly plan: string;
  readonly keyPrefix: string;
}

export interface UsageStore {
  ofPeriod(accountId: string, period: string): Promise<AccountUsage | undefined>;
  /**
   * A page of an account's units by day and key, ordered by day, then by the key's creation: the
   * rows after a day and key ("": all of that day), up to a last day of the same month.
   */
  byDay(accountId: string, after: DayOfKey, lastDay: string, limit: number): Promise<DailyUnits[]>;
  /** A page of accounts after an id ("": from the first), in its order, with their units. */
  ofAccounts(period: string, afterId: string, limit: number): Promise<AccountUnits[]>;
  /**
   * A page of the units of several accounts, ordered by account, day and key's creation: the rows
   * after one, or from the first when its day is the month alone, up to an account and a day.
   */
  byKey(
    after: DayOfAccount,
    last: { readonly accountId: string; readonly day: string },
    limit: number,
  ): Promise<KeyUnits[]>;
}
