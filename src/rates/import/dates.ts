import { dateAlone, type Instant } from "../../platform/shared/instant.ts";
import { quoted } from "../../platform/shared/text/visible-text.ts";
import type { Quotation, Rejection } from "../served/rules/rate.ts";
import { publicationTime } from "../sources/rules/publication-time.ts";

/** The time of day that a date alone means: `16:00` in `Europe/Berlin`. */
export interface PublishedAt {
  readonly timeOfDay: string;
  readonly timeZone: string;
}

/** @returns undefined for another form, and for a time or a zone that does not exist. */
export function parsePublishedAt(text: string): PublishedAt | undefined {
  const [, timeOfDay = "", timeZone = ""] = /^(\d\d:\d\d(?::\d\d)?) (\S+)$/.exec(text.trim()) ?? [];
  const isValid = publicationTime("2026-01-01", timeOfDay, timeZone) !== undefined;
  return isValid ? { timeOfDay, timeZone } : undefined;
}

/** Adds the time of day to a line whose `as_of` is a date alone. */
export function completeTime<Line extends Quotation>(
  line: Line,
  publishedAt: PublishedAt | undefined,
): Line | Rejection {
  const date = line.asOf.trim();
  if (!dateAlone.test(date)) return line;
  if (publishedAt === undefined) {
    const option = '--published-at "16:00 Europe/Berlin"';
    return { reason: `as_of ${quoted(date)} has no time: add it, or ${option} for all dates` };
  }
  const asOf = instantOn(date, publishedAt);
  return asOf === undefined
    ? { reason: `as_of ${quoted(date)} does not exist` }
    : { ...line, asOf };
}

// Most rates of a file share one date, and a zone's rules take 10 µs.
let last: PublishedAt & { date: string; asOf: Instant | undefined } = {
  date: "",
  timeOfDay: "",
  timeZone: "",
  asOf: undefined,
};

function instantOn(date: string, { timeOfDay, timeZone }: PublishedAt): Instant | undefined {
  const isLast = date === last.date && timeOfDay === last.timeOfDay && timeZone === last.timeZone;
  if (!isLast) {
    last = { date, timeOfDay, timeZone, asOf: publicationTime(date, timeOfDay, timeZone) };
  }
  return last.asOf;
}
