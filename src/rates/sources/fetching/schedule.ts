import { Cron } from "croner";
import { DAY_MS } from "../../../platform/shared/clock.ts";
import type { PublicationCalendar } from "../publishers/publisher.ts";
import { CHECKED_UNTIL, isAmong } from "../rules/holidays.ts";
import { GRACE_MS, MISSED_MAX } from "../rules/missed.ts";
import type { Years } from "../rules/years.ts";
import type { Schedule } from "../source.ts";

/** When a publisher publishes rates: at the times of a cron pattern, or continuously. */
export type Calendar = PublicationCalendar | { readonly everySeconds: number };

/** A source that is polled continuously counts as stale after this time without a new rate. */
const POLL_GRACE_MS = 5 * 60_000;

/**
 * Steps back in a calendar that are remembered. Reads of the past may ask for any: 25 years of
 * working days have 6,500.
 */
const STEPS_MAX = 10_000;

/**
 * Creates a source's schedule from the calendar that its publisher documents.
 *
 * @param timeOfDay that a figure's date means, such as `16:00`; unset where figures have times.
 */
export function createSchedule(calendar: Calendar, timeOfDay?: string): Schedule {
  const describe = () => describeSchedule(calendar);
  if (!("cron" in calendar)) return { describe, ...pollTimes(calendar.everySeconds * 1000) };
  const publicationOf = publicationTimes(calendar, timeOfDay);
  const tableOf = publicationOf === undefined ? tableTimes(calendar) : undefined;
  const isKnown = (date: string) => {
    const year = Number.parseInt(date.slice(0, 4), 10);
    return year <= CHECKED_UNTIL && isWithin(calendar.holidays?.known, year);
  };
  return { describe, ...cronTimes(calendar), isKnown, publicationOf, tableOf };
}

type Times = Omit<Schedule, "describe">;

function cronTimes(calendar: PublicationCalendar): Times {
  const { cron, timeZone, holidays, leadDays, amendmentsCron } = calendar;
  const runs = new Cron(cron, { timezone: timeZone, paused: true });
  const fetches = [cron, ...(amendmentsCron === undefined ? [] : [amendmentsCron])].map(
    (pattern) => new Cron(pattern, { timezone: timeZone, paused: true }),
  );
  const before = (moment: Date) => runs.previousRuns(1, moment)[0];

  const after = (moment: Date, pattern = runs): Date => {
    const next = pattern.nextRun(moment);
    if (next === null) throw new Error(`the schedule ${cron} has no next run`);
    return next;
  };

  const isOnHoliday = (run: Date): boolean => {
    const moment = Temporal.Instant.fromEpochMilliseconds(run.getTime());
    return isAmong(holidays?.days ?? [], moment.toZonedDateTimeISO(timeZone).toPlainDate());
  };

  /** The time after which a rate is dated that belongs to the publication `due` or a later one. */
  const beginMs = (due: Date, earlier = due): number =>
    leadDays === undefined
      ? (due.getTime() + earlier.getTime()) / 2
      : due.getTime() - leadDays * DAY_MS;

  /**
   * What lies between a time of the pattern and the one before: the same whoever asks. Without it,
   * a count of 99 takes 10 to 30 ms each time; with it, only the first.
   */
  const steps = new Map<number, { readonly earlier: Date | undefined; readonly isKept: boolean }>();
  const stepBefore = (due: Date) => {
    const known = steps.get(due.getTime());
    if (known !== undefined) return known;
    if (steps.size >= STEPS_MAX) steps.clear();
    const step = { earlier: before(due), isKept: !isOnHoliday(due) };
    steps.set(due.getTime(), step);
    return step;
  };

  /** Counts up to `most` publications due by `untilMs` that the newest rate does not reflect. */
  const unseen = (newestAsOfMs: number | undefined, untilMs: number, most: number): number => {
    if (newestAsOfMs === undefined) return 1;
    let count = 0;
    // The pattern has whole seconds, and croner searches strictly before the given one.
    let due = before(new Date(untilMs + 1000));
    while (due !== undefined && count < most) {
      const { earlier, isKept } = stepBefore(due);
      // A rate's own time is near its publication: it belongs to the nearest time of the pattern,
      // holidays included, so that a rate published on a holiday does not stand in for the next.
      if (newestAsOfMs > beginMs(due, earlier)) break;
      if (isKept) count += 1;
      due = earlier;
    }
    return count;
  };

  return {
    next(afterMs) {
      let next = after(new Date(afterMs));
      while (isOnHoliday(next)) next = after(next);
      return next.getTime();
    },

    following(asOfMs) {
      const due = after(new Date(asOfMs));
      const earlier = before(new Date(asOfMs + 1000)) ?? due;
      return this.next((asOfMs > beginMs(due, earlier) ? due : earlier).getTime());
    },

    nextFetch: (afterMs) =>
      Math.min(...fetches.map((pattern) => after(new Date(afterMs), pattern).getTime())),
    isAwaited: (newestAsOfMs, nowMs) => unseen(newestAsOfMs, nowMs, 1) > 0,
    missed: (newestAsOfMs, nowMs) => unseen(newestAsOfMs, nowMs - GRACE_MS, MISSED_MAX),
    isOverdue: (asOfMs, nowMs) => unseen(asOfMs, nowMs - GRACE_MS, 1) > 0,

    nextChange(nowMs) {
      const overdueMs = after(new Date(nowMs - GRACE_MS)).getTime() + GRACE_MS;
      return Math.min(after(new Date(nowMs)).getTime(), overdueMs);
    },
  };
}

function pollTimes(intervalMs: number): Times {
  return {
    next: (afterMs) => afterMs + intervalMs,
    following: () => undefined,
    nextFetch: (afterMs) => afterMs + intervalMs,
    isAwaited: () => false,
    missed(newestAsOfMs, nowMs) {
      if (newestAsOfMs === undefined) return 1;
      const silentMs = nowMs - newestAsOfMs - POLL_GRACE_MS;
      return silentMs <= 0 ? 0 : Math.min(Math.ceil(silentMs / intervalMs), MISSED_MAX);
    },
    isOverdue: (asOfMs, nowMs) => nowMs - asOfMs > POLL_GRACE_MS,
    nextChange: () => undefined,
  };
}

const HALF_DAY_HOURS = 12;

/**
 * Tells which dates have figures. A publication's figures have the date whose time of day is
 * nearest: those that the Bank of Russia publishes at 18:00, for 00:00, are dated on the next day.
 *
 * In a year whose days off are not known, any date may have some.
 *
 * @param timeOfDay that a date means; unset: figures are dated on the day of their publication.
 * @returns undefined for tables of a month or a quarter.
 */
function publicationTimes(
  { cron, timeZone, holidays, movesBefore }: PublicationCalendar,
  timeOfDay: string | undefined,
): Schedule["publicationOf"] {
  const { days = [], workdays = [], known } = holidays ?? {};
  const [, , dayOfMonth] = cron.split(" ");
  if (dayOfMonth !== "*") return undefined;
  const runs = new Cron(cron, { timezone: timeZone, paused: true });
  /** The first time of the pattern after another one. */
  const runAfter = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(
      runs.nextRun(new Date(ms))?.getTime() ?? 0,
    ).toZonedDateTimeISO(timeZone);
  const time = runAfter(0).toPlainTime();
  const hours =
    timeOfDay === undefined ? 0 : Temporal.PlainTime.from(timeOfDay).until(time).total("hours");
  const daysLater = hours > HALF_DAY_HOURS ? 1 : hours < -HALF_DAY_HOURS ? -1 : 0;

  const isHoliday = (day: Temporal.PlainDate) => day.year <= CHECKED_UNTIL && isAmong(days, day);
  const isOff = (day: Temporal.PlainDate) => day.dayOfWeek > FRIDAY || isHoliday(day);
  const isRun = (day: Temporal.PlainDate) =>
    runAfter(day.toZonedDateTime(timeZone).epochMilliseconds - 1)
      .toPlainDate()
      .equals(day);
  /** Whether the days off that follow a working day have one of the pattern. */
  const precedesRun = (day: Temporal.PlainDate) => {
    let next = day.add({ days: 1 });
    while (isOff(next) && !isRun(next)) next = next.add({ days: 1 });
    return !isOff(day) && isOff(next);
  };
  const isPublication = (day: Temporal.PlainDate) => {
    if (!isWithin(known, day.year)) return true;
    if (isAmong(workdays, day)) return true;
    return (isRun(day) && !isHoliday(day)) || (movesBefore === true && precedesRun(day));
  };

  return (date) => {
    const day = Temporal.PlainDate.from(date).subtract({ days: daysLater });
    if (!isPublication(day)) return undefined;
    return day.toZonedDateTime({ timeZone, plainTime: time }).epochMilliseconds;
  };
}

/**
 * Tells when the table of a month or a quarter is published by its date: the day of the publication
 * or, with `leadDays`, the first date that belongs to it.
 */
function tableTimes(calendar: PublicationCalendar): Schedule["tableOf"] {
  const { cron, timeZone, leadDays = 1, monthsLater: months = 0 } = calendar;
  const runs = new Cron(cron, { timezone: timeZone, paused: true });
  return (date) => {
    const day = Temporal.PlainDate.from(date).add({ months, days: leadDays - 1 });
    const { epochMilliseconds: startMs } = day.toZonedDateTime(timeZone);
    const runMs = runs.nextRun(new Date(startMs - 1))?.getTime() ?? 0;
    const run = Temporal.Instant.fromEpochMilliseconds(runMs).toZonedDateTimeISO(timeZone);
    return run.toPlainDate().equals(day) ? runMs : undefined;
  };
}

const isWithin = (known: Years | undefined, year: number) =>
  known === undefined || (known.first <= year && year <= known.last);

/** ISO 8601's number, which Temporal uses. */
const FRIDAY = 5;

/** When a publisher publishes: at the times of a cron pattern in its time zone, or continuously. */
type Described =
  | { readonly cron: string; readonly timeZone: string }
  | { readonly everySeconds: number };

/** Describes a calendar to a person: `16:05 on working days, Europe/Berlin`. */
export function describeSchedule(calendar: Described): string {
  if (!("cron" in calendar)) return `every ${calendar.everySeconds} seconds`;
  const { cron, timeZone } = calendar;
  const [minute = "", hour = "", day = "*", month = "*", weekday = "*"] = cron.split(" ");
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  return `${time} ${daysOf(day, month, weekday)}, ${timeZone}`;
}

/** @throws for a pattern that no publisher of the catalogue has. */
function daysOf(day: string, month: string, weekday: string): string {
  if (day === "*" && month === "*" && weekday === "1-5") return "on working days";
  if (day === "*" && month === "*" && weekday === "*") return "every day";
  if (/^\d+$/.test(day) && month === "*" && weekday === "*") return `on the ${ordinal(day)}`;
  if (day === "*" && month === "*" && /^[0-6](-[0-6])?$/.test(weekday)) {
    // 1 March 2026 is a Sunday.
    const [first = "", last] = weekday.split("-").map((number) => {
      const date = Temporal.PlainDate.from(`2026-03-0${1 + Number.parseInt(number, 10)}`);
      return date.toLocaleString("en", { weekday: "long" });
    });
    return last === undefined ? `on ${first}s` : `on working days, ${first} to ${last}`;
  }
  if (/^\d+$/.test(day) && /^[\d,]+$/.test(month) && weekday === "*") {
    const names = month.split(",").map((number) => {
      const first = Temporal.PlainDate.from(`2026-${number.padStart(2, "0")}-01`);
      return first.toLocaleString("en", { month: "long" });
    });
    return `on the ${ordinal(day)} of ${new Intl.ListFormat("en").format(names)}`;
  }
  throw new Error(`no words are known for the days of the schedule ${day} ${month} ${weekday}`);
}

/** @param day of a month. */
function ordinal(day: string): string {
  if (/^2?1$|^31$/.test(day)) return `${day}st`;
  if (/^2?2$/.test(day)) return `${day}nd`;
  return `${day}${/^2?3$/.test(day) ? "rd" : "th"}`;
}
