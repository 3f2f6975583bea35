import type { Origin } from "../shared/origin.ts";
import type { Quota } from "./rules.ts";

export interface Plan {
  readonly name: string;
  readonly unitsPerPeriod: number;
}

export interface PlanStore {
  list(): Promise<Plan[]>;
  /** Adds a plan, or changes the units of one. */
  set(plan: Plan, origin: Origin): Promise<void>;
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

export interface UsageStore {
  ofPeriod(accountId: string, period: string): Promise<AccountUsage | undefined>;
  /**
   * A page of an account's units by day and key, ordered by day, then by the key's creation: the
   * rows after a day and key ("": all of that day), up to a last day of the same month.
   */
  byDay(accountId: string, after: DayOfKey, lastDay: string, limit: number): Promise<DailyUnits[]>;
}
