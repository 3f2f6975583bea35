import { DAY_MS } from "../../src/platform/shared/clock.ts";
import type { Usage } from "./api/usage.ts";
import type { DailyUnits } from "./daily-units.ts";
import { countUnits, formatMinute, formatRatio, formatUnits } from "./format.ts";

/** Unless the account has its own thresholds, the service sends a mail at this share, too. */
export const HIGH_SHARE = 0.8;

/** How much of the quota is used: `high` from 80 %, `full` when nothing is left. */
export type QuotaLevel = "low" | "high" | "full";

export function levelOf({ usage: { remaining_units, utilization } }: Usage): QuotaLevel {
  if (remaining_units === 0) return "full";
  return utilization >= HIGH_SHARE ? "high" : "low";
}

export const howToGetUnits = "For more units before then, ask the operator of this service.";

/** The warning beside a page that does not show the quota, from 80 % of it on. */
export function warningOf(all: Usage): string | undefined {
  const { utilization, remaining_units, quota_units } = all.usage;
  const level = levelOf(all);
  if (level === "low") return undefined;
  return level === "full"
    ? `The quota is used up: reads are rejected until ${formatMinute(all.billing_period.end)}. ` +
        howToGetUnits
    : `${formatRatio(utilization)} of the quota is used: ` +
        `${formatUnits(remaining_units)} of ${countUnits(quota_units)} left.`;
}

/** The quota in equal shares for the days of the billing period. */
export interface EvenShare {
  /** Units per day that would use up the quota at the period's end. */
  readonly perDay: number;
  /** The period's first UTC day, as `2026-11-01`: earlier days had a quota of their own. */
  readonly firstDay: string;
}

export function evenShareOf({ billing_period: { start, end }, usage }: Usage): EvenShare {
  const days = (Date.parse(end) - Date.parse(start)) / DAY_MS;
  return { perDay: usage.quota_units / days, firstDay: start.slice(0, 10) };
}

/** Bars below half the chart's height would be hard to compare. */
const LINE_TO_BARS_MAX = 2;

/** Whether the line of an even share has a place in the chart. */
export function isEvenShown(
  { perDay }: EvenShare,
  { days, series }: Pick<DailyUnits, "days" | "series">,
): boolean {
  const sums = days.map((_, day) => series.reduce((sum, { units }) => sum + (units[day] ?? 0), 0));
  return perDay >= 1 && perDay <= LINE_TO_BARS_MAX * Math.max(...sums);
}
