import { parseYears, type Years } from "./years.ts";

/** A day of a list: its date in a year, or undefined if it has none. */
type Holiday = (year: number) => Temporal.PlainDate | undefined;

/** The days on which a publisher does not publish. */
export interface Holidays {
  readonly days: readonly Holiday[];
  /** Days of a weekend on which it publishes, in a country that moves days off each year. */
  readonly workdays: readonly Holiday[];
  /** The years whose days are known: of any other, nothing tells that a day had no publication. */
  readonly known: Years;
}

/** Laws change: of a later year, a holiday is expected, but proves no day without a publication. */
export const CHECKED_UNTIL = 2027;

/**
 * Reads the days of a list, by commas; a name in parentheses may follow each, and then the years
 * in which it is one, if these are not all.
 *
 * - `12-25` is that day of every year, `2026-01-09` that of one.
 * - `easter-2` is so many days before or after Easter Sunday: Good Friday. Easter Monday is
 *   `easter+1`, Ascension Day `easter+39`, Whit Monday `easter+50`. `orthodox+1` is the same by
 *   Orthodox Easter Sunday, until 2099.
 * - `09-01 monday` is the first Monday on or after that day.
 * - `12-25 workday` is the first day from Monday to Friday on or after that day. Two holidays in a
 *   row are the first, and the second: `12-25 workday 2`.
 * - `12-24 (Christmas Eve) 2025-` is that day since 2025, `easter+26 -2023` was one until 2023.
 * - `2026-04-25 open` is a Saturday or Sunday with a publication.
 *
 * @param text the years whose days the list has, and the list: `2002-: 01-01, 12-25`. Where a
 *   government moves working days to weekends each year, so that no later weekend is known, the
 *   years end: `2013-2026:`. Of `none:` nothing but the days themselves is known.
 */
export function parseHolidays(text: string): Holidays {
  const [known = "", list = ""] = text.split(":");
  const items = list.split(",").map((item) => item.replace(/\(.*\)/, "").trim());
  const isOpen = (item: string) => item.endsWith(" open");
  return {
    days: items.filter((item) => item !== "" && !isOpen(item)).map(parseHoliday),
    workdays: items.filter(isOpen).map((item) => parseHoliday(item.replace(/ open$/, ""))),
    known: known === "none" ? { first: 0, last: 0 } : parseYears(known),
  };
}

function parseHoliday(item: string): Holiday {
  const [, text = item, years] = /^(.+?) +([0-9]{4}-?[0-9]*|-[0-9]{4})$/.exec(item) ?? [];
  const dateOf = parseDay(text);
  if (years === undefined) return dateOf;
  const { first, last } = parseYears(years);
  return (year) => (first <= year && year <= last ? dateOf(year) : undefined);
}

function parseDay(text: string): Holiday {
  const [day = "", weekday, nth = "1"] = text.split(" ");
  const [, calendar, days = ""] = /^(easter|orthodox)([+-][0-9]+)$/.exec(day) ?? [];
  if (calendar !== undefined) {
    const sunday = calendar === "easter" ? easterSunday : orthodoxEasterSunday;
    return (year) => sunday(year).add({ days: Number.parseInt(days, 10) });
  }
  if (/^[0-9]{4}-/.test(day)) {
    const only = Temporal.PlainDate.from(day);
    return (year) => (year === only.year ? only : undefined);
  }
  const monthDay = Temporal.PlainMonthDay.from(day);
  return (year) => {
    const date = monthDay.toPlainDate({ year });
    if (weekday === undefined) return date;
    return weekday === "workday"
      ? findWorkday(date, Number.parseInt(nth, 10))
      : date.add({ days: (numberOfWeekday(weekday) - date.dayOfWeek + 7) % 7 });
  };
}

/** @returns the `nth` day from Monday to Friday, counted from a date. */
function findWorkday(from: Temporal.PlainDate, nth: number): Temporal.PlainDate {
  let left = nth;
  for (let date = from; ; date = date.add({ days: 1 })) {
    if (date.dayOfWeek <= numberOfWeekday("friday")) left -= 1;
    if (left === 0) return date;
  }
}

/** ISO 8601's numbers, which Temporal uses. */
function numberOfWeekday(name: string): number {
  const index = ["monday", "tuesday", "wednesday", "thursday", "friday"].indexOf(name);
  if (index === -1) throw new Error(`no weekday is called ${name}`);
  return index + 1;
}

/** The day after each, for figures that are valid from the day after their publication. */
export function dayAfter({ days, workdays, known }: Holidays): Holidays {
  const after = (holiday: Holiday) => (year: number) => holiday(year)?.add({ days: 1 });
  return { days: days.map(after), workdays: workdays.map(after), known };
}

/** Whether a list of days has a date. */
export function isAmong(days: readonly Holiday[], date: Temporal.PlainDate): boolean {
  return days.some((day) => day(date.year)?.equals(date));
}

/** Whether a date is of a weekend or a holiday, in a country that works on no weekend. */
export const isDayOff = (date: Temporal.PlainDate, { days }: Holidays): boolean =>
  date.dayOfWeek > 5 || isAmong(days, date);

/** @returns a date or, where it is a day off, the last one before it that is not. */
export function workdayUntil(date: Temporal.PlainDate, holidays: Holidays): Temporal.PlainDate {
  let day = date;
  while (isDayOff(day, holidays)) day = day.subtract({ days: 1 });
  return day;
}

function dateIn(year: number, day: string): Temporal.PlainDate {
  return Temporal.PlainMonthDay.from(day).toPlainDate({ year });
}

/**
 * Easter Sunday of the Gregorian calendar: the Sunday after the first full moon on or after
 * 21 March, where the moon is that of the church's tables.
 */
function easterSunday(year: number): Temporal.PlainDate {
  const century = Math.floor(year / 100);
  // Leap days that the Gregorian calendar omits, and its correction of the moon's cycle.
  const leapDaysOmitted = century - Math.floor(century / 4);
  const moonCorrection = Math.floor((8 * century + 13) / 25);
  const yearOfMoonCycle = year % 19;
  const epact = (19 * yearOfMoonCycle + leapDaysOmitted - moonCorrection + 15) % 30;
  // The tables keep the moon from 19 April, and from 18 April late in its cycle.
  const isLate = epact === 29 || (epact === 28 && yearOfMoonCycle > 10);
  const fullMoon = dateIn(year, "03-21").add({ days: isLate ? epact - 1 : epact });
  return fullMoon.add({ days: 7 - (fullMoon.dayOfWeek % 7) });
}

/** The same by the Julian calendar, which is 13 days behind the Gregorian from 1900 to 2099. */
function orthodoxEasterSunday(year: number): Temporal.PlainDate {
  const daysToFullMoon = (19 * (year % 19) + 15) % 30;
  const fullMoon = dateIn(year, "03-21").add({ days: daysToFullMoon + 13 });
  return fullMoon.add({ days: 7 - (fullMoon.dayOfWeek % 7) });
}
