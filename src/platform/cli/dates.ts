import {
  dateAlone,
  type Instant,
  isDate,
  isLeapSecond,
  parseInstant,
  timestamp,
} from "../shared/instant.ts";
import { quoted } from "../shared/text/visible-text.ts";
import { CommandError } from "./command.ts";

// The dates and times that commands take. A date alone is a day in UTC where a time is asked for,
// and the publisher's own date where its figures are.

/** Reads a time, or a date that means its start or its end. @returns undefined for another text. */
export function readMoment(text: string, ofDate: "start" | "end"): Instant | undefined {
  const timeOfDay = ofDate === "start" ? "T00:00:00Z" : "T23:59:59.999999999Z";
  return parseInstant(dateAlone.test(text) ? text + timeOfDay : text);
}

/** Parses a time or a date, as `readMoment`. @throws {CommandError} it is neither. */
export function parseMoment(name: string, text: string, ofDate: "start" | "end"): Instant {
  const instant = readMoment(text, ofDate);
  if (instant !== undefined) return instant;
  const wanted = isLeapSecond(text)
    ? "a leap second has no time here: use second 59"
    : "must be a date such as 2026-03-13 (UTC), or a time such as 2026-03-13T15:00:00Z";
  throw new CommandError(whyNoDate(name, text, wanted), 2);
}

/**
 * Parses a moment of the past; a date means its end.
 *
 * @returns RFC 3339 in UTC to the millisecond, as the store has times.
 * @throws {CommandError} it is no time, or in the future.
 */
export function parsePastMoment(name: string, text: string, nowMs: number): string {
  const moment = timestamp(Date.parse(parseMoment(name, text, "end")));
  const now = timestamp(nowMs);
  if (moment <= now) return moment;
  const rule = dateAlone.test(text)
    ? `this day ends at ${moment}, and it is ${now}: it must be until now`
    : `it is ${now}: it must be until now`;
  throw new CommandError(`${name} ${quoted(text)}: ${rule}`, 2);
}

/**
 * Parses a moment of the future; a date means its start.
 *
 * @returns RFC 3339 in UTC to the millisecond, as the store has times.
 * @throws {CommandError} it is no time, or not in the future.
 */
export function parseFutureMoment(name: string, text: string, nowMs: number): string {
  const moment = timestamp(Date.parse(parseMoment(name, text, "start")));
  const now = timestamp(nowMs);
  if (moment > now) return moment;
  const rule = dateAlone.test(text)
    ? `this day began at ${moment}, and it is ${now}: it must be later`
    : `it is ${now}: it must be later`;
  throw new CommandError(`${name} ${quoted(text)}: ${rule}`, 2);
}

/** Parses a date. @param what as the message names it. @throws {CommandError} it is none. */
export function parseDate(name: string, text: string, what = "date of the publisher"): string {
  if (isDate(text)) return text;
  throw new CommandError(whyNoDate(name, text, `must be a ${what} such as 2026-03-13`), 2);
}

/** Why a text is no date. @param date in the form 2026-03-13, if the text has another form. */
export function whyNoDate(name: string, text: string, wanted: string, date = text): string {
  const why = dateAlone.test(date) ? "there is no such day" : wanted;
  return `${name} ${quoted(text)}: ${why}`;
}

interface TimeRange<Time> {
  readonly from: Time | undefined;
  readonly to: Time | undefined;
}

/** Parses a range of a publisher's dates. @throws {CommandError} one is none, or it is reversed. */
export function parseDates({ from, to }: { from?: string; to?: string }): TimeRange<string> {
  if (from !== undefined) parseDate("--from", from);
  if (to !== undefined) parseDate("--to", to);
  return requireOrder({ from, to }, { from, to });
}

/** Checks a range, of which the options have the texts. @throws {CommandError} it is reversed. */
export function requireOrder<Time extends string>(
  range: TimeRange<Time>,
  { from, to }: TimeRange<string>,
): TimeRange<Time> {
  if (range.from === undefined || range.to === undefined || range.from <= range.to) return range;
  throw new CommandError(`--from ${from} is after --to ${to}: exchange them`, 2);
}
