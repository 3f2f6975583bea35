import type { Origin } from "../../platform/shared/origin.ts";
import type { BillingPeriod, Quota } from "./rules.ts";

export interface Plan {
  readonly name: string;
  readonly unitsPerPeriod: number;
}

/** What refers to a plan. */
export interface PlanUses {
  readonly accounts: number;
  /** Deleted accounts, whose units are kept. */
  readonly deletedAccounts: number;
  /** Invitations that were not used yet. */
  readonly invitations: number;
}

/** Units that an account got beside its plan's. */
export interface UnitGrant {
  /** A UUIDv7: the order of ids is the order of creation. */
  readonly id: string;
  readonly units: number;
  readonly usedUnits: number;
  /** What the operator calls it, such as an invoice. */
  readonly reference: string;
  readonly grantedAt: string;
  readonly expiresAt: string | undefined;
  readonly revokedAt: string | undefined;
}

export interface GrantStore {
  /**
   * Grants units once for a reference: a command that is sent again grants nothing.
   *
   * @returns the grant, or the one that has the reference and is not revoked; undefined when there
   *   is no such account.
   */
  add(
    email: string,
    grant: Pick<UnitGrant, "units" | "reference" | "expiresAt">,
    origin: Origin,
  ): Promise<{ readonly id: string; readonly isNew: boolean } | undefined>;
  /** A page of an account's grants after an id ("": all), oldest first. */
  list(accountId: string, afterId: string, limit: number): Promise<UnitGrant[]>;
  /** Revokes a grant, once. @returns it as it is then; undefined for an unknown id. */
  revoke(id: string, origin: Origin): Promise<UnitGrant | undefined>;
}

export interface PlanStore {
  list(): Promise<Plan[]>;
  /** Adds a plan, or changes the units of one. */
  set(plan: Plan, origin: Origin): Promise<void>;
  /**
   * Removes a plan that nothing uses.
   *
   * @returns "unknown" when it is not stored, or what uses it, counted up to `countMax` each: then
   *   it stays.
   */
  remove(name: string, countMax: number, origin: Origin): Promise<"removed" | "unknown" | PlanUses>;
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

/** The units of a key and of those that it replaced, or that replaced it. */
export interface LineUnits {
  readonly periodUnits: number;
  readonly dayUnits: number;
}

/** A key, active or revoked, and when it was created. */
interface CreatedKey {
  readonly keyId: string;
  readonly createdAt: string;
}

/** What an export says of an account beside its units. */
interface BilledAccount {
  readonly accountId: string;
  /** "" of a deleted account. */
  readonly email: string;
  readonly plan: string;
  readonly customerNumber: string | undefined;
}

/** An account and its units in one billing period; its quota is without grants. */
export interface AccountUnits extends BilledAccount, Quota {
  /** Those of the used units that came from grants. */
  readonly grantedUnits: number;
  /** The references of these grants, oldest first, joined by "; ". */
  readonly references: string;
  readonly createdAt: string;
  readonly deletedAt: string | undefined;
}

/** A UTC day of one key of an account. */
export interface DayOfAccount extends DayOfKey {
  readonly accountId: string;
}

/** The units that one key of an account was charged on one UTC day. */
interface KeyUnits extends DayOfAccount, DailyUnits {
  /** "" of a deleted account. */
  readonly keyPrefix: string;
}

/** With what an export says of the account. */
export type BilledKeyUnits = BilledAccount & KeyUnits;

/** An account's units of a period, all as they were at one instant. */
export interface StatedUnits {
  /** The account's counters: its units of all earlier periods, and of this one. */
  readonly earlierUnits: number;
  readonly periodUnits: number;
  /** In order of the key's creation, then of the day; revoked keys too. */
  readonly days: readonly (DailyUnits & { readonly keyPrefix: string })[];
}

export interface UsageStore {
  /** @param now when grants and a quota of the account alone must not have ended. */
  ofPeriod(accountId: string, period: string, now: string): Promise<AccountUsage | undefined>;
  /**
   * A page of an account's units by day and key, ordered by day, then by the key's creation: the
   * rows after a day and key ("": all of that day), up to a last day of the same month.
   */
  byDay(accountId: string, after: DayOfKey, lastDay: string, limit: number): Promise<DailyUnits[]>;
  /** A page of an account's keys after an id ("": from the first), oldest first. */
  keys(accountId: string, afterId: string, limit: number): Promise<CreatedKey[]>;
  /**
   * Of each key of an account from one id to another: its units in a period, and the last day with
   * units. Keys without units in the period are left out.
   */
  monthOfKeys(
    accountId: string,
    period: string,
    firstId: string,
    lastId: string,
  ): Promise<DailyUnits[]>;
  /**
   * The units of a period, and of a day of it, of all keys of each line, by the line. Lines without
   * units in the period are left out.
   */
  ofLines(accountId: string, period: string, day: string): Promise<ReadonlyMap<string, LineUnits>>;
  /** At most some 6,000 days: an account has at most 100 active keys and creates 100 a day. */
  ofStatement(accountId: string, period: string): Promise<StatedUnits>;
  /**
   * A page of accounts after an id ("": from the first), in its order, with their units in a period
   * and what they were at its end.
   */
  ofAccounts(
    period: Pick<BillingPeriod, "name" | "endMs">,
    afterId: string,
    limit: number,
  ): Promise<AccountUnits[]>;
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
