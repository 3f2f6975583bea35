import { CommandError } from "../../../platform/cli/command.ts";
import {
  dateAlone,
  type Instant,
  isDate,
  isLeapSecond,
  parseInstant,
  timestamp,
} from "../../../platform/shared/instant.ts";
import { quoted } from "../../../platform/shared/text/visible-text.ts";

const WANTED = "want a date such as 2026-03-13 (UTC), or a time such as 2026-03-13T15:00:00Z";

/** Parses a time, or a date that means its start or its end in UTC. @throws {CommandError} */
export function instantOf(name: string, text: string, ofDate: "start" | "end"): Instant {
  const timeOfDay = ofDate === "start" ? "T00:00:00Z" : "T23:59:59.999999999Z";
  const instant = parseInstant(dateAlone.test(text) ? text + timeOfDay : text);
  if (instant !== undefined) return instant;
  const wanted = isLeapSecond(text) ? "a leap second has no time here: want second 59" : WANTED;
  throw new CommandError(`${name} ${quoted(text)}: ${wanted}`, 2);
}

/** Parses a publisher's date. @throws {CommandError} it is none. */
export function dateOf(name: string, text: string): string {
  if (isDate(text)) return text;
  const wanted = "want a date of the publisher such as 2026-03-13";
  throw new CommandError(`${name} ${quoted(text)}: ${wanted}`, 2);
}

interface TimeRange<Time> {
  readonly from: Time | undefined;
  readonly to: Time | undefined;
}

/** Checks a range, of which the options have the texts. @throws {CommandError} it is reversed. */
export function inOrder<Time extends string>(
  range: TimeRange<Time>,
  { from, to }: TimeRange<string>,
): TimeRange<Time> {
  if (range.from === undefined || range.to === undefined || range.from <= range.to) return range;
  throw new CommandError(`--from ${from} is after --to ${to}: exchange them`, 2);
}

/** Parses a range of a publisher's dates. @throws {CommandError} as `dateOf` and `inOrder`. */
export function datesOf({ from, to }: { from?: string; to?: string }): TimeRange<string> {
  if (from !== undefined) dateOf("--from", from);
  if (to !== undefined) dateOf("--to", to);
  return inOrder({ from, to }, { from, to });
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
  const rule = dateAlone.test(text)
    ? `this day ends at ${moment}, and it is ${now}: want a time until now`
    : `it is ${now}: want a moment until now`;
  throw new CommandError(`${name} ${quoted(text)}: ${rule}`, 2);
}
