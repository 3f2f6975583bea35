declare const instant: unique symbol;

/**
 * An instant in UTC as RFC 3339 text with nine digits of the second, always 30 characters:
 * `2026-03-13T15:00:00.000000000Z`. The order of the texts is the order in time, so the store
 * sorts and serves them unchanged (docs/decisions/0003-texts-for-times-and-digests.md). Only
 * `parseInstant` makes one.
 */
export type Instant = string & { readonly [instant]: true };

const leapSecond = /:60(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/**
 * Parses an RFC 3339 date and time and converts it to UTC.
 *
 * @returns the instant, or `undefined` for an invalid text, a year outside 0 to 9999 or a leap
 *   second: Temporal would turn that into the second before.
 */
export function parseInstant(text: string): Instant | undefined {
  // Most rates of a file share one time, and parsing one takes 3 µs.
  if (text !== lastRead.text) lastRead = { text, instant: readInstant(text) };
  return lastRead.instant;
}

/** The form of a date alone. */
export const dateAlone = /^\d{4}-\d\d-\d\d$/;

/** Whether a text is a date that exists, such as 2026-03-13. */
export function isDate(text: string): boolean {
  return dateAlone.test(text) && parseInstant(`${text}T00:00:00Z`) !== undefined;
}

let lastRead: { text: string; instant: Instant | undefined } = { text: "", instant: undefined };

function readInstant(text: string): Instant | undefined {
  if (!rfc3339.test(text) || isLeapSecond(text)) return undefined;
  try {
    const written = Temporal.Instant.from(text).toString({ fractionalSecondDigits: 9 });
    return written.length === 30 ? (written as Instant) : undefined;
  } catch {
    return undefined; // a thirtieth of February, a 25th hour
  }
}

/** Whether an RFC 3339 time is in a leap second. */
export function isLeapSecond(text: string): boolean {
  return leapSecond.test(text);
}

/** @returns the instant of a time in milliseconds since 1970-01-01T00:00:00Z. */
export function instantAt(epochMs: number): Instant {
  return `${timestamp(epochMs).slice(0, -1)}000000Z` as Instant;
}

/** @returns RFC 3339 in UTC to the millisecond: the form of every time but a rate's `as_of`. */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** RFC 3339 without a fraction: the times of calendars are whole seconds. */
export function wholeSeconds(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(".000", "");
}
