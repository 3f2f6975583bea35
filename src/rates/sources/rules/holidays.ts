/** A day on which a publisher does not publish: its date in a year, or undefined if it has none. */
export type Holiday = (year: number) => Temporal.PlainDate | undefined;

/** The same day in every year. @param day `12-25` */
export function yearly(day: string): Holiday {
  return (year) => dateIn(year, day);
}

/** A day that depends on Easter Sunday. @param days after it: -2 for Good Friday. */
export function fromEaster(days: number): Holiday {
  return (year) => easterSunday(year).add({ days });
}

export const GOOD_FRIDAY = fromEaster(-2);
export const EASTER_MONDAY = fromEaster(1);
export const ASCENSION_DAY = fromEaster(39);

/** A day that depends on Orthodox Easter Sunday, until 2099. @param days after it. */
export function fromOrthodoxEaster(days: number): Holiday {
  return (year) => orthodoxEasterSunday(year).add({ days });
}

/** The first Monday on or after a day: from `09-01`, the first Monday of September. */
export function mondayFrom(day: string): Holiday {
  return weekdayFrom(day, MONDAY);
}

/** The first Thursday on or after a day. */
export function thursdayFrom(day: string): Holiday {
  return weekdayFrom(day, THURSDAY);
}

/** The first Friday on or after a day. */
export function fridayFrom(day: string): Holiday {
  return weekdayFrom(day, FRIDAY);
}

/**
 * The `nth` day from Monday to Friday, counted from a day: the first is the day itself or, at a
 * weekend, the Monday after it. Two holidays in a row are the first and the second.
 */
export function workdayFrom(day: string, nth = 1): Holiday {
  return (year) => {
    let date = dateIn(year, day);
    for (let left = nth; ; date = date.add({ days: 1 })) {
      if (date.dayOfWeek <= FRIDAY) left -= 1;
      if (left === 0) return date;
    }
  };
}

/** The day after a holiday, for figures that are valid from the day after their publication. */
export function dayAfter(holiday: Holiday): Holiday {
  return (year) => holiday(year)?.add({ days: 1 });
}

/** A day of one year. @param date `2026-01-09` */
export function once(date: string): Holiday {
  const only = Temporal.PlainDate.from(date);
  return (year) => (year === only.year ? only : undefined);
}

export function isHoliday(date: Temporal.PlainDate, holidays: readonly Holiday[]): boolean {
  return holidays.some((holiday) => holiday(date.year)?.equals(date));
}

// ISO 8601's numbers, which Temporal uses.
const MONDAY = 1;
const THURSDAY = 4;
const FRIDAY = 5;

function weekdayFrom(day: string, weekday: number): Holiday {
  return (year) => {
    const date = dateIn(year, day);
    return date.add({ days: (weekday - date.dayOfWeek + 7) % 7 });
  };
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
