import { CommandError } from "../../cli/command.ts";
import { type Instant, isLeapSecond, parseInstant, timestamp } from "../../shared/instant.ts";
import { quoted } from "../../shared/text/visible-text.ts";

const calendarDate = /^\d{4}-\d\d-\d\d$/;

const WANTED = "want a date such as 2026-03-13 (UTC), or a time such as 2026-03-13T15:00:00Z";

/** Parses a time, or a date that means its start or its end in UTC. @throws {CommandError} */
export function instantOf(name: string, text: string, ofDate: "start" | "end"): Instant {
  const timeOfDay = ofDate === "start" ? "T00:00:00Z" : "T23:59:59.999999999Z";
  const instant = parseInstant(calendarDate.test(text) ? text + timeOfDay : text);
  if (instant !== undefined) return instant;
  const wanted = isLeapSecond(text) ? "a leap second has no time here: want second 59" : WANTED;
  throw new CommandError(`${name} ${quoted(text)}: ${wanted}`, 2);
}

/**
 * Parses a moment of the past; a date means its end in UTC.
 *
 * @returns RFC 3339 in UTC to the millisecond, as the store has times.
 * @throws {CommandError} it is no time, or in the future.
 */
export function pastMomentOf(name: string, text: string, nowMs: number): string {
  const moment = timestamp(Date.parse(instantOf(name, text, "end")));
  const now = timestamp(nowMs);
  if (moment <= now) return moment;
  const rule = calendarDate.test(text)
    ? `this day ends at ${moment}, and it is ${now}: want a time until now`
    : `it is ${now}: want a moment until now`;
  throw new CommandError(`${name} ${quoted(text)}: ${rule}`, 2);
}

/** A short form of a digest, for people. */
export function shortHash(hash: string | undefined): string {
  return hash === undefined ? "-" : hash.slice(0, 12);
}
