import { wholeSeconds } from "../rates/headers.ts";
import type { AssetSymbol, Pair } from "../rates/rules/symbol.ts";
import type { Clock } from "../shared/clock.ts";
import type { Instant } from "../shared/instant.ts";
import { type RateSource, type Schedule, scheduleOf } from "../sources/source.ts";

// What exists: the pairs and their sources, without figures and without observation times, which a
// read pays for.

/** A stored pair. */
export interface StoredPair extends Pair {
  readonly source: string;
  /** Decides on the outlook, and is in no response. */
  readonly asOf: Instant;
  readonly isSuspended: boolean;
}

/** A source that owns a pair or was ever fetched. */
export interface StoredSource {
  readonly source: string;
  /** The number of pairs that it owns. */
  readonly pairs: number;
  readonly lastSuccessAt: string | undefined;
  /** The newest that its publisher has given; undefined for imports. */
  readonly newestAsOf: Instant | undefined;
}

/** The most pairs of a page: 170 KB as JSON, in 3 ms. */
export const PAIRS_PER_PAGE_MAX = 1000;

/** A page of the pairs, which are ordered by base and quote. */
export interface PageOfPairs {
  readonly limit: number;
  /** Only the pairs after this one. */
  readonly after?: Pair | undefined;
  /** Only the pairs with this base. */
  readonly base?: AssetSymbol | undefined;
}

export interface CoverageStore {
  sources(): Promise<readonly StoredSource[]>;
  pairs(page: PageOfPairs): Promise<readonly StoredPair[]>;
}

/** What a source's calendar says about a rate. */
export interface Outlook {
  /** Whether a publication is overdue that the rate does not reflect. */
  readonly isMissed: boolean;
  /** RFC 3339 without a fraction; undefined for imports and polled sources. */
  readonly nextPublication: string | undefined;
}

/** A pair as customers see it. */
export interface CoveredPair extends StoredPair {
  readonly outlook: Outlook;
}

/** The state of a source, for customers. */
export interface CoveredSource {
  readonly source: RateSource;
  /** The number of pairs that it owns. */
  readonly pairs: number;
  readonly missedPublications: number;
  readonly nextPublication: string | undefined;
  readonly lastSuccessAt: string | undefined;
}

export interface Coverage {
  /** A page of the pairs; `next` is its last one if there are more. */
  pairs(
    page: PageOfPairs,
  ): Promise<{ readonly pairs: readonly CoveredPair[]; readonly next: Pair | undefined }>;
  /** The sources that own a pair or are switched on, in order of precedence. */
  sources(): Promise<readonly CoveredSource[]>;
  /** The number of all pairs, imported ones included. */
  countPairs(): Promise<number>;
}

export function createCoverage(uses: {
  readonly store: CoverageStore;
  readonly clock: Clock;
  /** The keys of the sources that are switched on. */
  readonly switchedOn: readonly string[];
  /** In order of precedence: a store may have rates of those that are switched off. */
  readonly knownSources: readonly RateSource[];
  /** Lets other requests run between two sources. */
  readonly nextIteration: () => Promise<void>;
}): Coverage {
  const { store, clock, switchedOn, knownSources, nextIteration } = uses;
  const outlookOf = createOutlooks(knownSources);
  const countMissed = new Map(
    knownSources.map(({ key, schedule }) => [
      key,
      memoized(schedule, (asOf, nowMs) => {
        return schedule.missed(asOf === undefined ? undefined : Date.parse(asOf), nowMs);
      }),
    ]),
  );

  return {
    async pairs(page) {
      const nowMs = clock.nowMs();
      // One more than the page shows whether there is a next one.
      const stored = await store.pairs({ ...page, limit: page.limit + 1 });
      const pairs = stored.slice(0, page.limit).map((pair) => {
        return { ...pair, outlook: outlookOf(pair.source, pair.asOf, nowMs, pair) };
      });
      return { pairs, next: stored.length > page.limit ? pairs.at(-1) : undefined };
    },

    async sources() {
      const nowMs = clock.nowMs();
      const states = new Map((await store.sources()).map((state) => [state.source, state]));
      const covered: CoveredSource[] = [];
      for (const source of knownSources) {
        const { pairs = 0, lastSuccessAt, newestAsOf } = states.get(source.key) ?? {};
        if (pairs === 0 && !switchedOn.includes(source.key)) continue;
        const count = countMissed.get(source.key);
        // Up to 99 searches in the calendar: 10 to 30 ms.
        if (count?.isKnown(newestAsOf, nowMs) === false) await nextIteration();
        const missedPublications = count?.ask(newestAsOf, nowMs) ?? 0;
        const { nextPublication } = outlookOf(source.key, newestAsOf, nowMs);
        covered.push({ source, pairs, missedPublications, nextPublication, lastSuccessAt });
      }
      return covered;
    },

    async countPairs() {
      return (await store.sources()).reduce((sum, { pairs }) => sum + pairs, 0);
    },
  };
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
function memoized<Result>(
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
