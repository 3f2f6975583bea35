// One language and one time zone, the service's own: values can be compared with the API. Dates as
// the documents write them, which no reader takes for another one: 3 Nov 2026.

const units = new Intl.NumberFormat("en");
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 });
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const longDay = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const minute = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  hourCycle: "h23",
  timeZone: "UTC",
});
const clock = new Intl.DateTimeFormat("en-GB", {
  timeStyle: "short",
  hourCycle: "h23",
  timeZone: "UTC",
});
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const DAY_SECONDS = 86_400;

/** `1,000` */
export function formatUnits(count: number): string {
  return units.format(count);
}

/** A number with its noun: `1 unit`, `1,000 units`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatUnits(count)} ${count === 1 ? noun : plural}`;
}

export const countUnits = (count: number): string => counted(count, "unit");

/** @param ratio as the service rounded it. */
export function formatRatio(ratio: number): string {
  return percent.format(ratio);
}

/** `21 Nov 2026` */
export function formatDay(time: string): string {
  return day.format(new Date(time));
}

/** `5 March to 2 April 2026`; one day alone is `2 April 2026`. */
export function formatDays(first: string, last: string): string {
  return longDay.formatRange(new Date(first), new Date(last)).replace(/\s*–\s*/, " to ");
}

/** `21 Nov 2026, 12:00 UTC` */
export function formatMinute(time: string): string {
  return `${minute.format(new Date(time))} UTC`;
}

/** `12:00 UTC` */
export function formatClock(time: string): string {
  return `${clock.format(new Date(time))} UTC`;
}

/** How old: `5 minutes old`, `3 hours old`, `253 days old`. */
export function formatOld(time: string): string {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(time)) / 60_000));
  const [count, unit] =
    minutes < 60
      ? [minutes, "minute"]
      : minutes < 48 * 60
        ? [Math.floor(minutes / 60), "hour"]
        : [Math.floor(minutes / 60 / 24), "day"];
  return `${counted(count, unit)} old`;
}

/** A decimal text with its integer digits in groups of three: `1,234.5678`. */
export function groupDigits(decimal: string): string {
  const [integer = "", ...fraction] = decimal.split(".");
  return [integer.replace(/\B(?=(?:\d{3})+$)/g, ","), ...fraction].join(".");
}

/** How long ago: `just now`, `5 minutes ago`, `yesterday`, `3 months ago`. */
export function formatAge(time: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  const steps = [
    [60, 1, undefined],
    [3600, 60, "minute"],
    [DAY_SECONDS, 3600, "hour"],
    [31 * DAY_SECONDS, DAY_SECONDS, "day"],
    [365 * DAY_SECONDS, 30.44 * DAY_SECONDS, "month"],
    [Number.POSITIVE_INFINITY, 365 * DAY_SECONDS, "year"],
  ] as const;
  const [, length, unit] = steps.find(([limit]) => seconds < limit) ?? steps[0];
  return unit === undefined ? "just now" : relative.format(-Math.floor(seconds / length), unit);
}

/** A UTC day such as `2026-11-21`: `today`, `yesterday`, `2 Nov 2026`; `never` without one. */
export function formatLastDay(date: string | null): string {
  if (date === null) return "never";
  if (date >= utcDay(0)) return "today";
  return date === utcDay(1) ? "yesterday" : formatDay(date);
}

/** Whether a UTC day is today's or yesterday's. */
export function isRecentDay(date: string | null): boolean {
  return date !== null && date >= utcDay(1);
}

function utcDay(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * DAY_SECONDS * 1000).toISOString().slice(0, 10);
}

/** Until when: `today`, `in 1 day`, `in 10 days`; a day that has begun counts. */
export function formatDaysUntil(time: string): string {
  const days = Math.ceil((Date.parse(time) - Date.now()) / 1000 / DAY_SECONDS);
  return `in ${counted(Math.max(0, days), "day")}`;
}
