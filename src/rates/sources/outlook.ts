import { type Instant, wholeSeconds } from "../../platform/shared/instant.ts";
import type { CountMissed } from "../served/rules/rate.ts";
import type { Pair } from "../served/rules/symbol.ts";
import { type RateSource, type Schedule, scheduleOf } from "./source.ts";

/** What a source's calendar says about a rate. */
export interface Outlook {
  /** Whether a publication is overdue that the rate does not reflect. */
  readonly isMissed: boolean;
  /** RFC 3339 without a fraction; undefined for imports and polled sources. */
  readonly nextPublication: string | undefined;
}

/** Of a source without a calendar, and of an import. */
const missed: Outlook = { isMissed: true, nextPublication: undefined };

const current: Outlook = { isMissed: false, nextPublication: undefined };

/** The rates of a source have few different times; beyond this number all are forgotten. */
const TIMES_MAX = 10_000;

/**
 * Asks a calendar once for each time that the rates have: a search in it takes 0.1 ms, and the
 * pairs of a publication share their time.
 */
function memoized<Result>(
  schedule: Schedule,
  compute: (schedule: Schedule, asOf: Instant | undefined, nowMs: number) => Result,
): (asOf: Instant | undefined, nowMs: number) => Result {
  const results = new Map<Instant | undefined, Result>();
  let [fromMs, untilMs] = [0, 0];
  return (asOf, nowMs) => {
    if (nowMs < fromMs || nowMs >= untilMs || results.size > TIMES_MAX) {
      results.clear();
      fromMs = nowMs;
      untilMs = schedule.nextChange(nowMs) ?? nowMs;
    }
    return results.getOrInsertComputed(asOf, () => compute(schedule, asOf, nowMs));
  };
}

/** @param pair without one, the outlook is that of the source. */
export type OutlookOf = (
  source: string,
  asOf: Instant | undefined,
  nowMs: number,
  pair?: Pair,
) => Outlook;

/** @param knownSources an outlook of any other source is that of an import. */
export function createOutlooks(knownSources: readonly RateSource[]): OutlookOf {
  const ask = memoizedBySource(knownSources, outlookIn);
  return (key, asOf, nowMs, pair) => ask(key, asOf, nowMs, pair) ?? current;
}

/** Like `createOutlooks`; any other source has no calendar, and misses nothing. */
export function createMissedCounts(knownSources: readonly RateSource[]) {
  const ask = memoizedBySource(knownSources, (schedule, asOf, nowMs) => {
    return schedule.missed(asOf === undefined ? undefined : Date.parse(asOf), nowMs);
  });
  return (...asked: Parameters<OutlookOf>): number => ask(...asked) ?? 0;
}

export function createCountMissed(knownSources: readonly RateSource[]): CountMissed {
  const missedBy = createMissedCounts(knownSources);
  return (rate, nowMs) => missedBy(rate.source, rate.asOf, nowMs, rate);
}

/** Asks the calendar of a source or of its pair. @returns undefined for an unknown source. */
function memoizedBySource<Result>(
  knownSources: readonly RateSource[],
  compute: (schedule: Schedule, asOf: Instant | undefined, nowMs: number) => Result,
) {
  const sources = new Map(knownSources.map((source) => [source.key, source]));
  const memos = new Map<Schedule, ReturnType<typeof memoizedIn>>();
  const memoizedIn = (schedule: Schedule) => memoized(schedule, compute);
  return (key: string, asOf: Instant | undefined, nowMs: number, pair?: Pair) => {
    const source = sources.get(key);
    if (source === undefined) return undefined;
    const schedule = pair === undefined ? source.schedule : scheduleOf(source, pair);
    return memos.getOrInsertComputed(schedule, memoizedIn)(asOf, nowMs);
  };
}

function outlookIn(schedule: Schedule, asOf: Instant | undefined, nowMs: number): Outlook {
  const asOfMs = asOf === undefined ? undefined : Date.parse(asOf);
  const isMissed = asOfMs === undefined || schedule.isOverdue(asOfMs, nowMs);
  // Polled: all of its rates share these two.
  if (schedule.nextChange(nowMs) === undefined) return isMissed ? missed : current;
  const followingMs = isMissed ? undefined : schedule.following(asOfMs);
  return { isMissed, nextPublication: wholeSeconds(followingMs ?? schedule.next(nowMs)) };
}
