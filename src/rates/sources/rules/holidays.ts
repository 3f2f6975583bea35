/** A day on which a publisher does not publish: its date in a year, or undefined if it has none. */
export type Holiday = (year: number) => Temporal.PlainDate | undefined;

/**
 * Reads the days of a list, by commas; a name in parentheses may follow each.
 *
 * - `12-25` is that day of every year, `2026-01-09` that of one.
 * - `easter-2` is so many days before or after Easter Sunday: Good Friday. Easter Monday is
 *   `easter+1`, Ascension Day `easter+39`, Whit Monday `easter+50`. `orthodox+1` is the same by
 *   Orthodox Easter Sunday, until 2099.
 * - `09-01 monday` is the first Monday on or after that day.
 * - `12-25 workday` is the first day from Monday to Friday on or after that day. Two holidays in a
 *   row are the first, and the second: `12-25 workday 2`.
 */
export function parseHolidays(list: string): readonly Holiday[] {
  const days = list.split(",").map((item) => item.replace(/\(.*\)/, "").trim());
  return days.filter((day) => day !== "").map(parseHoliday);
}

function parseHoliday(text: string): Holiday {
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

/** The day after a holiday, for figures that are valid from the day after their publication. */
export function dayAfter(holiday: Holiday): Holiday {
  return (year) => holiday(year)?.add({ days: 1 });
}

export function isHoliday(date: Temporal.PlainDate, holidays: readonly Holiday[]): boolean {
  return holidays.some((holiday) => holiday(date.year)?.equals(date));
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
