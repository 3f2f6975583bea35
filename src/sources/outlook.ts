import type { Pair } from "../rates/rules/symbol.ts";
import { type Instant, wholeSeconds } from "../shared/instant.ts";
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

interface Memo<Result> {
  isKnown(asOf: Instant | undefined, nowMs: number): boolean;
  ask(asOf: Instant | undefined, nowMs: number): Result;
}

/**
 * Asks a calendar once for each time that the rates have: a search in it takes 0.1 ms, and the
 * pairs of a publication share their time.
 */
export function memoized<Result>(
  schedule: Schedule,
  compute: (asOf: Instant | undefined, nowMs: number) => Result,
): Memo<Result> {
  const results = new Map<Instant | undefined, Result>();
  let [fromMs, untilMs] = [0, 0];
  const isCurrent = (nowMs: number) => nowMs >= fromMs && nowMs < untilMs;
  return {
    isKnown: (asOf, nowMs) => isCurrent(nowMs) && results.has(asOf),
    ask(asOf, nowMs) {
      if (!isCurrent(nowMs) || results.size > TIMES_MAX) {
        results.clear();
        fromMs = nowMs;
        untilMs = schedule.nextChange(nowMs) ?? nowMs;
      }
      const known = results.get(asOf);
      if (known !== undefined) return known;
      const result = compute(asOf, nowMs);
      results.set(asOf, result);
      return result;
    },
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
  const bySource = new Map(
    knownSources.map((source) => {
      const { schedule, rarerPairs } = source;
      const schedules = rarerPairs === undefined ? [schedule] : [schedule, rarerPairs.schedule];
      const memos = schedules.map((one) => {
        return [one, memoized(one, (asOf, nowMs) => outlookIn(one, asOf, nowMs))] as const;
      });
      return [source.key, { source, memos: new Map(memos) }];
    }),
  );
  return (key, asOf, nowMs, pair) => {
    const { source, memos } = bySource.get(key) ?? {};
    if (source === undefined) return current;
    const schedule = pair === undefined ? source.schedule : scheduleOf(source, pair);
    return memos?.get(schedule)?.ask(asOf, nowMs) ?? current;
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
