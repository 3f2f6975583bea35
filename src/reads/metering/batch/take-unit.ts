import {
  type KeyQuota,
  type Quota,
  remainingUnits,
  withGrants,
} from "../../../customers/billing/rules.ts";

/** Units beside the plan's, of which some are left. */
export interface Grant {
  readonly id: string;
  /** Infinite without an end. */
  readonly expiresAtMs: number;
  leftUnits: number;
}

/** The quota that an account has in every period. */
export interface PlanQuota {
  readonly planUnits: number;
  /** A quota of this account alone, until a time, which may be infinite. */
  readonly own?: { readonly units: number; readonly untilMs: number } | undefined;
}

/** What an account has used, and may use, in a billing period. */
export interface AccountUnits {
  readonly plan: PlanQuota;
  usedUnits: number;
  /** Those of the used units that came from grants. */
  grantedUnits: number;
  /** In the order of their use. */
  grants: readonly Grant[];
}

/** The units of a line of keys within a span of time, and the most that they may be. */
export type KeyCap = { -readonly [Member in keyof KeyQuota]: KeyQuota[Member] };

/** The quota from the plan or the account's own, without grants. */
export function planUnitsAt({ planUnits, own }: PlanQuota, nowMs: number): number {
  return own !== undefined && nowMs < own.untilMs ? own.units : planUnits;
}

/** An account's quota with what its grants have given in the period and can give now. */
export function quotaOf(account: AccountUnits, nowMs: number): Quota {
  const { plan, grants, usedUnits, grantedUnits } = account;
  const quotaUnits = planUnitsAt(plan, nowMs);
  if (grants.length === 0) return { quotaUnits, usedUnits };
  let leftUnits = 0;
  for (const grant of grants) if (nowMs < grant.expiresAtMs) leftUnits += grant.leftUnits;
  return withGrants({ quotaUnits, usedUnits, grantedUnits, leftUnits });
}

/**
 * Takes one unit for a read: from the plan, then from the first grant that has one.
 *
 * @returns the grant, "plan", or which quota is used up: then nothing is taken.
 */
export function takeUnit(
  account: AccountUnits,
  caps: readonly KeyCap[],
  nowMs: number,
): Grant | "plan" | "exhausted" | "key_exhausted" {
  const isOfPlan = account.usedUnits - account.grantedUnits < planUnitsAt(account.plan, nowMs);
  const grant = isOfPlan ? undefined : usableGrant(account.grants, nowMs);
  if (!isOfPlan && grant === undefined) return "exhausted";
  if (caps.some((cap) => remainingUnits(cap) === 0)) return "key_exhausted";
  account.usedUnits += 1;
  for (const cap of caps) cap.usedUnits += 1;
  if (grant === undefined) return "plan";
  grant.leftUnits -= 1;
  account.grantedUnits += 1;
  return grant;
}

function usableGrant(grants: readonly Grant[], nowMs: number): Grant | undefined {
  return grants.find(({ leftUnits, expiresAtMs }) => leftUnits > 0 && nowMs < expiresAtMs);
}

/** The caps of a key, the period's first. Their units are not counted yet. */
export function capsOf(unitsPerPeriod: number | null, unitsPerDay: number | null): KeyCap[] {
  const caps: KeyCap[] = [];
  if (unitsPerPeriod !== null)
    caps.push({ span: "period", quotaUnits: unitsPerPeriod, usedUnits: 0 });
  if (unitsPerDay !== null) caps.push({ span: "day", quotaUnits: unitsPerDay, usedUnits: 0 });
  return caps;
}

/** @returns the caps as they are now, for an outcome; later reads of the batch change them. */
export function keyQuotasOf(caps: readonly KeyCap[]): readonly KeyQuota[] | undefined {
  return caps.length === 0 ? undefined : caps.map((cap) => ({ ...cap }));
}

/** The time of a stored end: infinite without one. */
export function endMs(text: string | null): number {
  return text === null ? Number.POSITIVE_INFINITY : Date.parse(text);
}
