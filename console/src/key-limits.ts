import { DAY_MS } from "../../src/platform/shared/clock.ts";
import type { KeyLimits, LimitUsage, StatedLimits } from "./api/keys.ts";
import type { ApiError } from "./api/request.ts";
import { countUnits, formatDay, formatDaysUntil, formatUnits } from "./format.ts";
import { HIGH_SHARE, type QuotaLevel } from "./quota.ts";

/** What the fields of a key's limits hold. */
export type LimitTexts = Readonly<Record<keyof KeyLimits, string>>;

export const limitLabels: LimitTexts = {
  expires_at: "End",
  units_per_period: "Units per month",
  units_per_day: "Units per UTC day",
};

export function textsOf(limits: Partial<KeyLimits> = {}): LimitTexts {
  const { expires_at, units_per_period, units_per_day } = limits;
  return {
    expires_at: expires_at ?? "",
    units_per_period: `${units_per_period ?? ""}`,
    units_per_day: `${units_per_day ?? ""}`,
  };
}

/**
 * Reads the limits in their fields. The service checks them: what has no form that this knows is
 * sent as it is. A date alone is the start of its day in UTC, as in the commands.
 */
export function limitsIn({
  expires_at,
  units_per_period,
  units_per_day,
}: LimitTexts): StatedLimits {
  const end = expires_at.trim();
  return {
    expires_at: /^\d{4}-\d\d-\d\d$/.test(end) ? `${end}T00:00:00Z` : end || null,
    units_per_period: numberIn(units_per_period),
    units_per_day: numberIn(units_per_day),
  };
}

/** The number in a field, `1,000` and `1 000` too; another text as it is, null for an empty one. */
export function numberIn(typed: string): number | string | null {
  const text = typed.trim();
  const isNumber = /^\d+$|^\d{1,3}(?:[,\s]\d{3})+$/.test(text);
  return isNumber ? Number(text.replaceAll(/\D/g, "")) : text || null;
}

/** What the service says of each field, if its error is about one: `units_per_day must be …`. */
export function errorsOf(error: ApiError | undefined): Partial<LimitTexts> {
  const [, name = "", rule] = /^(\w+) (.+)$/s.exec(error?.message ?? "") ?? [];
  if (error?.code !== "invalid_request" || !isLimit(name)) return {};
  const words = rule?.replace("either integer or null", "a whole number");
  return { [name]: `${limitLabels[name]} ${words}` };
}

function isLimit(name: string): name is keyof KeyLimits {
  return Object.hasOwn(limitLabels, name);
}

/** A limit of a key in words; `high` from 80 % of a cap on and in the last week, `full` beyond. */
export interface LimitLine {
  readonly text: string;
  readonly level: QuotaLevel;
}

const NEAR_END_MS = 7 * DAY_MS;

/** Says what limits a key, and how close each limit is. */
export function linesOf(limits: LimitUsage | undefined): readonly LimitLine[] {
  if (limits === undefined) return [];
  const { expires_at, units_per_period, period_units, units_per_day, day_units } = limits;
  return [
    ...(expires_at === null ? [] : [lineOfEnd(expires_at)]),
    ...(units_per_period === null ? [] : [lineOfCap(period_units, units_per_period, "this month")]),
    ...(units_per_day === null ? [] : [lineOfCap(day_units, units_per_day, "today")]),
  ];
}

function lineOfEnd(end: string): LimitLine {
  const isNear = Date.parse(end) - Date.now() <= NEAR_END_MS;
  if (!isNear) return { text: `Ends on ${formatDay(end)}`, level: "low" };
  return { text: `Ends ${formatDaysUntil(end)}, on ${formatDay(end)}`, level: "high" };
}

function lineOfCap(used: number, cap: number, when: string): LimitLine {
  const text = `${formatUnits(used)} of ${countUnits(cap)} ${when}`;
  if (used >= cap) return { text: `${text}: used up`, level: "full" };
  return { text, level: used >= cap * HIGH_SHARE ? "high" : "low" };
}

/** How long the old key of a rotation stays valid, in hours. */
export const overlaps: Readonly<Record<string, string>> = {
  "0": "no longer: revoked at once",
  "1": "for 1 hour",
  "24": "for 24 hours",
  "168": "for 7 days",
  "720": "for 30 days",
};
