import { type Instant, parseInstant } from "../../../platform/shared/instant.ts";

const calendarDate = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/**
 * The publication time, in UTC, of a publisher that states only a date: its documented time of day
 * in its own time zone.
 *
 * @param date `2026-03-13`
 * @param timeOfDay `16:00`
 * @param timeZone an IANA name such as `Europe/Berlin`
 * @returns the instant, or `undefined` for a date, a time or a zone that does not exist and for an
 *   instant outside the years 0 to 9999. A time of day that the clocks skip counts as if they had
 *   not been put forward, one that they repeat as the first of the two.
 */
export function publicationTime(
  date: string,
  timeOfDay: string,
  timeZone: string,
): Instant | undefined {
  if (!calendarDate.test(date)) return undefined;
  try {
    const moment = Temporal.PlainDate.from(date).toZonedDateTime({
      timeZone,
      plainTime: timeOfDay,
    });
    return parseInstant(moment.toInstant().toString());
  } catch {
    return undefined; // February 30, a 25th hour, an unknown zone
  }
}

/**
 * The date of a time in a time zone: 2026-03-12T21:00:00Z is 2026-03-13 in Europe/Moscow.
 *
 * @param time RFC 3339
 * @returns `undefined` for a time that does not exist.
 */
export function dateIn(time: string, timeZone: string): string | undefined {
  // The figures of a publication share their time, and a zone's rules take 10 µs.
  if (time !== last.time || timeZone !== last.timeZone) {
    last = { time, timeZone, date: readDate(time, timeZone) };
  }
  return last.date;
}

let last: { time: string; timeZone: string; date: string | undefined } = {
  time: "",
  timeZone: "",
  date: undefined,
};

function readDate(time: string, timeZone: string): string | undefined {
  try {
    const moment = Temporal.Instant.from(time).toZonedDateTimeISO(timeZone);
    return moment.toPlainDate().toString();
  } catch {
    return undefined; // February 30, an unknown zone
  }
}
