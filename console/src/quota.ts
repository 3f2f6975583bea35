import { DAY_MS } from "../../src/shared/clock.ts";
import type { Usage } from "./api/usage.ts";
import type { DailyUnits } from "./daily-units.ts";

/** The service sends a mail at this share of the quota, too. */
const HIGH_SHARE = 0.8;

/** How much of the quota is used: `high` from 80 %, `full` when nothing is left. */
export type QuotaLevel = "low" | "high" | "full";

export function levelOf({ usage: { remaining_units, utilization } }: Usage): QuotaLevel {
  if (remaining_units === 0) return "full";
  return utilization >= HIGH_SHARE ? "high" : "low";
}

/** An even share of the quota: units per day that would use it up at the period's end. */
export function unitsPerDay({ billing_period: { start, end }, usage }: Usage): number {
  return usage.quota_units / ((Date.parse(end) - Date.parse(start)) / DAY_MS);
}

/** Bars below half the chart's height would be hard to compare. */
const LINE_TO_BARS_MAX = 2;

/** Whether the line of an even share has a place in the chart. */
export function isEvenShown(
  even: number,
  { days, series }: Pick<DailyUnits, "days" | "series">,
): boolean {
  const sums = days.map((_, day) => series.reduce((sum, { units }) => sum + (units[day] ?? 0), 0));
  return even <= LINE_TO_BARS_MAX * Math.max(...sums);
}
