import { DAY_MS } from "../../src/platform/shared/clock.ts";
import type { DailyUsage, Usage } from "./api/usage.ts";
import { countUnits, formatDay, formatUnits } from "./format.ts";

/** The average of these days is expected of those to come. */
export const FORECAST_DAYS = 7;

/**
 * Says what the period ends with if its other days are like the last ones.
 *
 * @param recent the units of the last `FORECAST_DAYS`.
 * @returns undefined when there is nothing to foresee: no reads, or no units left.
 */
export function forecastOf(
  { billing_period, usage }: Usage,
  recent: DailyUsage["days"],
  { created_at }: { readonly created_at: string },
): string | undefined {
  const now = Date.now();
  const ageDays = Math.ceil((now - Date.parse(created_at)) / DAY_MS);
  const days = Math.min(FORECAST_DAYS, Math.max(1, ageDays));
  const perDay = recent.reduce((sum, { units }) => sum + units, 0) / days;
  const { used_units, remaining_units, quota_units } = usage;
  if (perDay === 0 || remaining_units === 0) return undefined;
  const average =
    days === 1 ? "At the first day's average" : `At the average of the last ${days} days`;
  const usedUpAt = now + (remaining_units / perDay) * DAY_MS;
  const endsAt = Date.parse(billing_period.end);
  if (usedUpAt < endsAt) {
    return `${average}, the units will run out around ${formatDay(new Date(usedUpAt).toISOString())}.`;
  }
  const expected = used_units + Math.round((perDay * (endsAt - now)) / DAY_MS);
  return `${average}, about ${formatUnits(expected)} of ${countUnits(quota_units)} will be used by then.`;
}
