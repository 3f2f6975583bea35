// Which date's figure a rule names, before anything is read.

/** A rule by which laws and contracts name the figure for a date. */
export type RateRule = (typeof rateRules)[number];

export const rateRules = ["on", "on-or-before", "before", "on-or-next", "month"] as const;

/** A period of the calendar: a rule for it counts from its last day. */
export type Period = "month" | "quarter" | "year";

/** Each rule in words, after "the figure …". */
export const ruleWords: Readonly<Record<RateRule, string>> = {
  on: "the figure for the date",
  "on-or-before": "the figure for the date or, without one, the last figure before it",
  before: "the last figure before the date",
  "on-or-next": "the figure for the date or, without one, the next figure after it",
  month: "the figure that is valid on the date, or the only one of its month",
};

/** A rule names no figure for a later date: a calendar so far ahead is a guess, or ends. */
export const LAST_DATE = "2199-12-31";

const MONTHS: Readonly<Record<Period, number>> = { month: 1, quarter: 3, year: 12 };

/** @returns the date that a rule counts from: the date itself, or the last one of its period. */
export function dateCounted(date: string, period: Period | undefined): string {
  if (period === undefined) return date;
  const { year, month } = Temporal.PlainDate.from(date);
  const months = MONTHS[period];
  const first = Temporal.PlainDate.from({ year, month: month - ((month - 1) % months), day: 1 });
  return first.add({ months }).subtract({ days: 1 }).toString();
}

/** @returns the date some days later, or earlier. */
export const daysAfter = (date: string, days: number): string =>
  Temporal.PlainDate.from(date).add({ days }).toString();

/** @returns the first and the last date of the month. */
export function monthOf(date: string): { readonly from: string; readonly to: string } {
  return { from: `${date.slice(0, 7)}-01`, to: dateCounted(date, "month") };
}
