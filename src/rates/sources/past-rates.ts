import type { Clock } from "../../platform/shared/clock.ts";
import type { Instant } from "../../platform/shared/instant.ts";
import { documentHeader } from "../served/headers.ts";
import type { PastFigure, PastMoment, PastRates } from "../served/rules/past.ts";
import { RATE_MISSED, rateBody } from "../served/rules/rate.ts";
import type { SigningKey } from "../served/signing-key.ts";
import { createSourceHeaders } from "./headers.ts";
import { GRACE_MS, MISSED_MAX } from "./rules/missed.ts";
import { type RateSource, type Schedule, scheduleOf } from "./source.ts";

/** The header with a past rate's own time, to the second (RFC 7089, section 2.1.1). */
const MEMENTO_DATETIME = "memento-datetime";

/** @param sources every known source: a store may have rates of those that are switched off. */
export function createPastRates(
  sources: readonly RateSource[],
  uses: { readonly clock: Clock; readonly signingKey: SigningKey | undefined },
): PastRates {
  const { clock, signingKey } = uses;
  const headersOf = createSourceHeaders(sources);
  const countMissed = createPastMissed(sources);
  const kinds = sources.flatMap(({ key, servedKind }) => (servedKind ? [[key, servedKind]] : []));
  return {
    servedKinds: Object.fromEntries(kinds),
    async toRate(figure, asked) {
      const { base, quote, rate, asOf, source, date, document } = figure;
      const nowMs = clock.nowMs();
      const constant = headersOf(source);
      const headers = [...constant, MEMENTO_DATETIME, new Date(Date.parse(asOf)).toUTCString()];
      if (document !== undefined) headers.push(...documentHeader(document));
      const missed = countMissed(figure, asked, nowMs);
      if (missed > 0) headers.push(RATE_MISSED, String(missed));
      const { acceptDatetime } = asked;
      if (signingKey !== undefined && acceptDatetime !== undefined) {
        const [, rateSource = ""] = constant;
        const createdSeconds = Math.floor(nowMs / 1000);
        const content = { body: rateBody(figure), rateSource, createdSeconds, acceptDatetime };
        headers.push(...(await signingKey.signLater(content)));
      }
      const nextMs = Number.POSITIVE_INFINITY;
      return { base, quote, rate, asOf, source, date, headers, nextMs };
    },
  };
}

/** The dates of a source are few: 25 years have 6,000. Beyond this number all are forgotten. */
const DATES_MAX = 10_000;

/** Remembers what a calendar computes for a time or a date: a search in it takes 0.1 ms. */
function remembered<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    if (values.size >= DATES_MAX) values.clear();
    return values.getOrInsertComputed(key, compute);
  };
}

/**
 * Counts the publications, up to 99, that a source's publisher had made by a past time and that the
 * figure which is stored for that time does not reflect: a gap of the store, by the calendar of
 * that year.
 */
function createPastMissed(sources: readonly RateSource[]) {
  const bySource = new Map(sources.map((source) => [source.key, source]));
  const bySchedule = new Map<Schedule, ReturnType<typeof rememberedCalendar>>();

  return (figure: PastFigure, { date, epochMs }: PastMoment, nowMs: number): number => {
    const source = bySource.get(figure.source);
    if (source === undefined) return 0;
    const askedMs = Math.min(epochMs, nowMs);
    const schedule = scheduleOf(source, figure, Number.parseInt(figure.date, 10));
    const calendar = bySchedule.getOrInsertComputed(schedule, rememberedCalendar);
    if (date !== undefined && calendar.publicationOf !== undefined) {
      return countDates(calendar.publicationOf, figure.date, date, nowMs);
    }
    const followingMs = calendar.following(figure.asOf);
    if (followingMs !== undefined && askedMs < followingMs) return 0;
    // What was late then is not late any more.
    const countedMs = followingMs === undefined ? askedMs : Math.min(askedMs + GRACE_MS, nowMs);
    return schedule.missed(Date.parse(figure.asOf), countedMs);
  };
}

function rememberedCalendar(schedule: Schedule) {
  const { publicationOf } = schedule;
  return {
    following: remembered((asOf: Instant) => schedule.following(Date.parse(asOf))),
    publicationOf: publicationOf && remembered(publicationOf),
  };
}

/** Counts the dates after one, up to another, whose figures were published by now. */
function countDates(
  publicationOf: (date: string) => number | undefined,
  after: string,
  last: string,
  nowMs: number,
): number {
  let count = 0;
  let day = Temporal.PlainDate.from(after);
  while (count < MISSED_MAX && day.toString() < last) {
    day = day.add({ days: 1 });
    const publishedMs = publicationOf(day.toString());
    if (publishedMs === undefined) continue;
    if (publishedMs > nowMs) break;
    count += 1;
  }
  return count;
}
