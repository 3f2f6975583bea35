import { HOUR_MS } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import type { Origin } from "../../platform/shared/origin.ts";

/** A calendar month in UTC, within which units count against the quota. */
export interface BillingPeriod {
  /** Year and month, `2026-11`: the period's name in the store. */
  readonly name: string;
  /** RFC 3339, inclusive. */
  readonly start: string;
  /** RFC 3339, exclusive: the time of the reset. */
  readonly end: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** An account's quota and usage in a billing period. */
export interface Quota {
  readonly quotaUnits: number;
  readonly usedUnits: number;
}

/** An account's quota of a period, and its units from grants: used in it, and left now. */
export interface GrantedQuota extends Quota {
  readonly grantedUnits: number;
  readonly leftUnits: number;
}

/**
 * The quota with what grants have given and can give: what remains of it is what can be used. Units
 * used beyond a plan that was lowered are part of it, or they would hide what the grants have left.
 */
export function withGrants({ grantedUnits, leftUnits, ...quota }: GrantedQuota): Quota {
  const { quotaUnits, usedUnits } = quota;
  const ofPlan = leftUnits > 0 ? Math.max(quotaUnits, usedUnits - grantedUnits) : quotaUnits;
  return { quotaUnits: ofPlan + grantedUnits + leftUnits, usedUnits };
}

/** What the keys of a line may use in a span of time, and have used. */
export interface KeyQuota extends Quota {
  readonly span: "period" | "day";
}

/** The plan that every account starts on. A new store has it, with 1,000 units per period. */
export const FREE_PLAN = "free";

/** The most units a plan may have. Integers are exact well beyond it. */
export const MAX_PLAN_UNITS = 1_000_000_000_000;

/** @returns the billing period that contains a time, given in milliseconds since 1970. */
export function billingPeriodAt(epochMs: number): BillingPeriod {
  const moment = new Date(epochMs);
  const year = moment.getUTCFullYear();
  const month = moment.getUTCMonth();
  const startMs = Date.UTC(year, month, 1);
  const endMs = Date.UTC(year, month + 1, 1);
  const start = timestamp(startMs);
  return { name: start.slice(0, 7), start, end: timestamp(endMs), startMs, endMs };
}

/** @returns the billing period of a name such as `2026-11`; undefined for an invalid name. */
export function parseBillingPeriod(name: string): BillingPeriod | undefined {
  if (!/^[1-9]\d{3}-(?:0[1-9]|1[0-2])$/.test(name)) return undefined;
  return billingPeriodAt(Date.parse(`${name}-01T00:00:00.000Z`));
}

/** Whether the usage of a period lists an account: it existed in it, or has units. */
export function isInPeriod(
  account: {
    readonly createdAt: string;
    readonly deletedAt: string | undefined;
    readonly usedUnits: number;
  },
  { start, end }: BillingPeriod,
): boolean {
  const { createdAt, deletedAt, usedUnits } = account;
  return usedUnits > 0 || (createdAt < end && (deletedAt === undefined || deletedAt >= start));
}

/**
 * The time after a period's end within which units of its last minutes may still be stored: its
 * quota notices are written, and its statements are not final.
 */
const LATE_UNITS_MS = HOUR_MS;

/** Whether a period has ended long enough ago for its units to change no more. */
export function isFinal({ endMs }: BillingPeriod, epochMs: number): boolean {
  return epochMs - endMs >= LATE_UNITS_MS;
}

/** @returns the billing periods whose quota notices are written at a time, the older one first. */
export function noticePeriodsAt(epochMs: number): readonly BillingPeriod[] {
  const current = billingPeriodAt(epochMs);
  const { startMs } = current;
  const before = billingPeriodAt(startMs - 1);
  return isFinal(before, epochMs) ? [current] : [before, current];
}

/** @returns a time within a period, of a time within it or after it: when its quota was true. */
export function timeWithin({ end, endMs }: BillingPeriod, at: string): string {
  return at < end ? at : timestamp(endMs - 1);
}

/** @returns the UTC day of a time as `2026-11-21`. */
export function utcDay(epochMs: number): string {
  return timestamp(epochMs).slice(0, 10);
}

export function sumOfUnits(charges: readonly { readonly units: number }[]): number {
  return charges.reduce((sum, { units }) => sum + units, 0);
}

/** @returns the units left; 0 when a lowered quota is below the usage. */
export function remainingUnits({ quotaUnits, usedUnits }: Quota): number {
  return Math.max(quotaUnits - usedUnits, 0);
}

/** @returns used units over quota, rounded half up to 4 places; 1 when there is no quota at all. */
export function utilization({ quotaUnits, usedUnits }: Quota): number {
  if (quotaUnits === 0) return 1;
  // Uses integers: for large plans the quotient of two floats may round the wrong way.
  const quota = BigInt(quotaUnits);
  return Number((BigInt(usedUnits) * 20_000n + quota) / (2n * quota)) / 10_000;
}

/** A threshold of the usage of an account or a key, as clients send it and as it is stored. */
export interface Threshold {
  readonly api_key_id?: string | undefined;
  /** Of the account's quota or the key's cap. Either this or `units` is set. */
  readonly percent?: number | undefined;
  readonly units?: number | undefined;
}

/** The thresholds of an account that has not set its own. */
export const DEFAULT_THRESHOLDS: readonly Threshold[] = [{ percent: 80 }, { percent: 100 }];

export interface ThresholdStore {
  read(accountId: string): Promise<readonly Threshold[]>;
  /**
   * Sets an account's own thresholds.
   *
   * @returns the stored ones.
   * @throws {Failure} `invalid_request`
   */
  set(
    accountId: string,
    thresholds: readonly Threshold[],
    origin: Origin,
  ): Promise<readonly Threshold[]>;
}

/**
 * @param line the first key of the key's line: a rotation's old and new key have one threshold.
 * @returns what identifies a threshold: `80%`, `500`, or either after a key's id and a colon.
 */
export function thresholdName({ percent, units }: Threshold, line: string | undefined): string {
  const amount = percent === undefined ? `${units}` : `${percent}%`;
  return line === undefined ? amount : `${line}:${amount}`;
}

/** Whether usage has reached a threshold: without a quota, no percentage. */
export function isReached({ percent, units = 0 }: Threshold, { quotaUnits, usedUnits }: Quota) {
  if (percent === undefined) return usedUnits >= units;
  return quotaUnits > 0 && usedUnits * 100 >= quotaUnits * percent;
}
