// Which date's figure a rule names: commands find it, the verification of evidence checks it.

/** A rule by which laws and contracts name the figure for a date. */
export type RateRule = (typeof rateRules)[number];

export const rateRules = ["on", "on-or-before", "before", "on-or-next", "month"] as const;

/** A period of the calendar: a rule for it counts from one day for all dates in it. */
export type Period = (typeof periods)[number];

export const periods = ["month", "quarter", "year", "customs-month"] as const;

/** The day of each period from which a rule counts. */
export const periodWords: Readonly<Record<Period, string>> = {
  month: "the last date of its month",
  quarter: "the last date of its quarter",
  year: "the last date of its year",
  "customs-month": "the second last Wednesday of the month before",
};

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

const WEDNESDAY = 3;

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** @returns the date that a rule counts from: the date itself, or the one of its period. */
export function dateCounted(date: string, period: Period | undefined): string {
  if (period === undefined) return date;
  const { year, month } = Temporal.PlainDate.from(date);
  if (period === "customs-month") {
    const last = Temporal.PlainDate.from({ year, month, day: 1 }).subtract({ days: 1 });
    return last.subtract({ days: ((last.dayOfWeek - WEDNESDAY + 7) % 7) + 7 }).toString();
  }
  const months = MONTHS[period];
  const first = Temporal.PlainDate.from({ year, month: month - ((month - 1) % months), day: 1 });
  return first.add({ months }).subtract({ days: 1 }).toString();
}

/** @returns the date some days later, or earlier. */
export const daysAfter = (date: string, days: number): string =>
  Temporal.PlainDate.from(date).add({ days }).toString();

/** @returns the first and the last date of the month. */
export function wholeMonth(date: string): { readonly from: string; readonly to: string } {
  return { from: `${date.slice(0, 7)}-01`, to: dateCounted(date, "month") };
}

/** A figure by the publisher's date and, of a table for a period, the last date of its validity. */
export interface DatedFigure {
  readonly date: string;
  readonly validUntil?: string | undefined;
}

/** Whether a rule that counts from a date may name a figure, if no other is nearer. */
export function mayName(
  rule: RateRule,
  counted: string,
  { date, validUntil }: DatedFigure,
): boolean {
  const isValid = isValidOn(counted, { date, validUntil });
  switch (rule) {
    case "on":
      return date === counted || isValid;
    case "on-or-before":
      return date <= counted;
    case "before":
      return date < counted;
    case "on-or-next":
      return validUntil === undefined ? date >= counted : isValid;
    case "month":
      return validUntil === undefined ? date.slice(0, 7) === counted.slice(0, 7) : isValid;
  }
}

/** Whether a figure has a validity, within which a date lies. */
export const isValidOn = (date: string, { date: first, validUntil = "" }: DatedFigure): boolean =>
  first <= date && date <= validUntil;

/**
 * Finds a figure that a rule names in place of one that it may name: a nearer one or, where the
 * rule wants the only one of a month, any other. One that is valid on the date is the nearest.
 */
export function findRival(
  rule: RateRule,
  counted: string,
  figure: DatedFigure,
  others: readonly DatedFigure[],
): DatedFigure | undefined {
  const { date } = figure;
  const last = lastDate(rule, counted);
  const isRival = (other: DatedFigure) => {
    if (isValidOn(last, other) !== isValidOn(last, figure)) return isValidOn(last, other);
    if (rule === "on-or-next" && date > counted) return other.date < date;
    if (rule === "month" && other.validUntil === undefined) return other.date !== date;
    return other.date > date;
  };
  return others.find((other) => mayName(rule, counted, other) && isRival(other));
}

/** Another date of a figure's month with a publication: the figure is not the month's only one. */
export function otherOfMonth(
  { date, validUntil }: DatedFigure,
  publicationOf: KnownDates["publicationOf"],
): string | undefined {
  const { from, to } = wholeMonth(date);
  if (validUntil !== undefined) return undefined;
  for (let other = from; other <= to; other = daysAfter(other, 1)) {
    if (other !== date && publicationOf?.(other) !== undefined) return other;
  }
  return undefined;
}

/** Dates, both included; none where the first is after the last. */
export interface Dates {
  readonly from: string;
  readonly to: string;
}

/** The dates that a rule passes over to name a figure: another figure of them would be nearer. */
export function datesPassedOver(
  rule: RateRule,
  counted: string,
  { date, validUntil = date }: DatedFigure,
): Dates {
  if (rule === "on-or-next") return { from: counted, to: daysAfter(date, -1) };
  if (rule === "on" || rule === "month") return { from: counted, to: daysAfter(counted, -1) };
  return { from: daysAfter(validUntil, 1), to: lastDate(rule, counted) };
}

/** The last date whose figure a rule may name that does not look ahead. */
export const lastDate = (rule: RateRule, counted: string): string =>
  rule === "before" ? daysAfter(counted, -1) : counted;

/** Whether a rule names the date's own figure first, and no earlier one. */
export const hasDate = (rule: RateRule): boolean => rule === "on" || rule === "on-or-next";

/** The days without a stored figure that --accept-gaps takes as closed: by default, and at most. */
export const GAPS = { usual: 10, most: 31 } as const;

/** What tells on which dates a source published figures of a series. */
export interface KnownDates {
  /** When its calendar expects the figures of a date; undefined without a calendar. */
  readonly publicationOf: ((date: string) => number | undefined) | undefined;
  /** The dates of the series that each document states; undefined without a document. */
  readonly stated: readonly (readonly string[])[] | undefined;
  /** The dates for which the source published other pairs where it publishes the series, too. */
  readonly others?: readonly string[] | undefined;
  /** The dates of lines that cannot be read; undefined for a line without one: it may be any. */
  readonly unread?: readonly (string | undefined)[] | undefined;
}

/** What tells whether dates are without a figure: nothing is known of them by "nothing". */
export type PassedOver =
  | { readonly by: "no date" | "document" | "nothing" }
  /** The source published other pairs, but not this one: no gap, but a suspended pair. */
  | { readonly by: "nearer figure" | "suspension" | "unread line"; readonly date: string }
  | { readonly by: "calendar"; readonly publicationOf: (date: string) => number | undefined };

/** Finds what tells whether the dates that a rule passes over are without a figure. */
export function explainDates({ from, to }: Dates, known: KnownDates): PassedOver {
  const { publicationOf, stated = [], others = [], unread = [] } = known;
  if (from > to) return { by: "no date" };
  for (const [by, dates] of [
    ["nearer figure", stated.flat()],
    ["unread line", unread],
    ["suspension", others],
  ] as const) {
    const date = dates.find((one) => one !== undefined && from <= one && one <= to);
    if (date !== undefined) return { by, date };
  }
  // One document with dates on both sides, such as an archive, has all between them.
  const spans = (dates: readonly string[]) =>
    dates.some((date) => date < from) && dates.some((date) => date > to);
  if (stated.some(spans) && !unread.includes(undefined)) return { by: "document" };
  return publicationOf === undefined ? { by: "nothing" } : { by: "calendar", publicationOf };
}
