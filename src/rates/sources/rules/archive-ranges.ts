/** The first and the last of some dates such as 2026-03-13. */
export interface Dates {
  readonly from: string;
  readonly to: string;
}

/** What one request of an archive has at most; the calendar's months, quarters and years. */
export type RequestUnit = "day" | "month" | "quarter" | "year" | "everything";

/** Cuts dates at the ends of the calendar's days, months, quarters or years, oldest first. */
export function rangesBy(unit: RequestUnit, { from, to }: Dates): readonly Dates[] {
  const ranges: Dates[] = [];
  for (let first = from; first <= to; ) {
    const end = lastDate(unit, Temporal.PlainDate.from(first))?.toString() ?? to;
    const last = end < to ? end : to;
    ranges.push({ from: first, to: last });
    first = Temporal.PlainDate.from(last).add({ days: 1 }).toString();
  }
  return ranges;
}

/** The last date of the unit with a date; undefined for one without an end. */
function lastDate(unit: RequestUnit, date: Temporal.PlainDate) {
  switch (unit) {
    case "day":
      return date;
    case "month":
      return date.with({ day: date.daysInMonth });
    case "quarter":
      return date
        .with({ day: 1 })
        .add({ months: 3 - ((date.month - 1) % 3) })
        .subtract({ days: 1 });
    case "year":
      return date.with({ month: 12, day: 31 });
    case "everything":
      return undefined;
  }
}
