import type { Grant } from "./api/usage.ts";
import { formatDay, formatMinute } from "./format.ts";

/** Splits grants into those with units that can be used, in the order of their use, and the others. */
export function splitGrants(grants: readonly Grant[]): {
  readonly usable: readonly Grant[];
  readonly others: readonly Grant[];
} {
  const isUsable = ({ remaining_units }: Grant) => remaining_units > 0;
  const endOf = ({ expires_at }: Grant) => expires_at ?? "~";
  const usable = grants
    .filter(isUsable)
    .sort((one, other) => (endOf(one) < endOf(other) ? -1 : +(endOf(one) > endOf(other))));
  return { usable, others: grants.filter((grant) => !isUsable(grant)) };
}

/** The units of the plan, or of the account's own quota, that are left in this period. */
export function leftOfPlan(remainingUnits: number, grants: readonly Grant[]): number {
  const granted = grants.reduce((sum, { remaining_units }) => sum + remaining_units, 0);
  return Math.max(0, remainingUnits - granted);
}

/** Until when a grant can be used, or why it no longer can. */
export function endOfGrant({ remaining_units, expires_at, revoked_at }: Grant): string {
  if (revoked_at !== null) return `revoked on ${formatDay(revoked_at)}`;
  if (remaining_units > 0) return expires_at === null ? "no end" : formatMinute(expires_at);
  const hasEnded = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return hasEnded ? `expired on ${formatDay(expires_at)}` : "used up";
}
