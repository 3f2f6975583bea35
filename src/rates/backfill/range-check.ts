import { DAY_MS } from "../../platform/shared/clock.ts";
import type { Dates } from "../sources/rules/archive-ranges.ts";
import type { ArchiveRange, Schedule } from "../sources/source.ts";

// A publisher that has moved its archive, or a proxy, may send a page, nothing or another year's
// document: a range is complete only with the figures that were due.

/**
 * Due dates in a row without a figure, with figures before and after them, are days off that the
 * calendar does not know, up to a working week.
 */
const DAYS_OFF_MAX = 5;

/** A fetched range for which it is known whether it has what was due. */
interface CheckedRange {
  readonly range: ArchiveRange;
  /** Why it is not complete. */
  readonly fault: string | undefined;
}

interface OpenRange {
  readonly range: ArchiveRange;
  readonly stated: readonly string[];
  readonly missing: string[];
}

/** The part of a source's calendar that tells which dates are due. */
export type DueCalendar = Pick<Schedule, "publicationOf" | "tableOf" | "next">;

/** Creates a check of ranges, which come in their order. */
export function createRangeCheck(calendar: DueCalendar, nowMs: number) {
  /** Until another date has figures, these have none. */
  let run: { readonly range: ArchiveRange; readonly date: string }[] = [];
  let lastStated: string | undefined;
  const open = new Map<ArchiveRange, OpenRange>();

  const endRun = (areDaysOff: boolean) => {
    for (const { range, date } of areDaysOff ? [] : run) open.get(range)?.missing.push(date);
    run = [];
  };
  const state = (date: string) => {
    endRun(lastStated !== undefined && run.length <= DAYS_OFF_MAX);
    lastStated = date;
  };
  const takeChecked = (): readonly CheckedRange[] => {
    const undecided = new Set(run.map(({ range }) => range));
    const checked = [...open.values()].filter(
      ({ range, missing }) => missing.length > 0 || !undecided.has(range),
    );
    for (const { range } of checked) open.delete(range);
    return checked.map((one) => ({ range: one.range, fault: findFault(one, calendar, nowMs) }));
  };

  return {
    /** @param stated the dates of the figures in its response, also of others. */
    add(range: ArchiveRange, stated: readonly string[]): readonly CheckedRange[] {
      open.set(range, { range, stated, missing: [] });
      lastStated ??= stated.find((date) => date < range.from);
      const isStated = new Set(stated);
      for (const date of datesOf(range)) {
        if (isStated.has(date)) state(date);
        else if (isDue(date, calendar, nowMs)) run.push({ range, date });
      }
      const later = stated.find((date) => date > range.to);
      if (later !== undefined) state(later);
      if (lastStated === undefined || run.length > DAYS_OFF_MAX) {
        endRun(false);
        lastStated = undefined;
      }
      return takeChecked();
    },

    /** Takes a range as complete that was checked before. */
    skip({ from, to }: ArchiveRange): readonly CheckedRange[] {
      state(from);
      lastStated = to;
      return takeChecked();
    },

    /** Ends a row of ranges: no figures follow. @returns those that they would have completed. */
    end(): readonly CheckedRange[] {
      endRun(false);
      lastStated = undefined;
      return takeChecked();
    },

    /** The first range that is not checked yet. */
    firstOpen: (): Dates | undefined => open.keys().next().value,
  };
}

/** Whether a date's figures were due the day before, or earlier: an archive may be late. */
function isDue(date: string, { publicationOf, next }: DueCalendar, nowMs: number): boolean {
  const dueMs = publicationOf?.(date);
  // Of a year whose days off are not known, any date may have figures: a Sunday is not due.
  return dueMs !== undefined && dueMs + DAY_MS <= nowMs && next(dueMs - 1) === dueMs;
}

function findFault({ range, stated, missing }: OpenRange, calendar: DueCalendar, nowMs: number) {
  const [first, ...others] = missing;
  const sorted = stated.toSorted();
  const has =
    sorted.length === 0 ? "none" : `figures of ${sorted[0]} to ${sorted[sorted.length - 1]}`;
  if (first !== undefined) {
    const later = others.length === 0 ? "" : ` and ${others.length} later dates`;
    return `no figure for ${first}${later} that its calendar expects; the response has ${has}`;
  }
  const isEmpty = !stated.some((date) => range.from <= date && date <= range.to);
  if (!isEmpty || !hasTable(range, calendar, nowMs)) return;
  return `no figure, although its calendar expects some; the response has ${has}`;
}

/** Whether a table of a month or a quarter that begins within a range was due the day before. */
function hasTable(range: Dates, { tableOf }: DueCalendar, nowMs: number): boolean {
  for (const date of datesOf(range)) {
    const dueMs = tableOf?.(date);
    if (dueMs !== undefined && dueMs + DAY_MS <= nowMs) return true;
  }
  return false;
}

function* datesOf({ from, to }: Dates): Generator<string> {
  const last = Temporal.PlainDate.from(to);
  let date = Temporal.PlainDate.from(from);
  for (; Temporal.PlainDate.compare(date, last) <= 0; date = date.add({ days: 1 })) {
    yield date.toString();
  }
}
