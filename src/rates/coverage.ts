import type { Clock } from "../shared/clock.ts";
import type { Instant } from "../shared/instant.ts";
import { wholeSeconds } from "./headers.ts";
import type { AssetSymbol, Pair } from "./rules/symbol.ts";
import { type RateSource, type Schedule, scheduleOf } from "./source.ts";

// What exists: the pairs and their sources, without figures and without observation times, which a
// read pays for.

/** A stored pair. */
export interface StoredPair extends Pair {
  /**
   * Its source, its `as_of` and 1 for a suspended one, separated by spaces: the pairs of a
   * publication share this text, which is parsed once.
   */
  readonly state: string;
}

/** A source that owns a pair or was ever fetched. */
export interface StoredSource {
  readonly source: string;
  readonly ownsPairs: boolean;
  readonly lastSuccessAt: string | undefined;
  readonly newestAsOf: Instant | undefined;
}

export interface CoverageStore {
  /** Counts the transactions that changed rates. */
  version(): Promise<number>;
  sources(): Promise<readonly StoredSource[]>;
  /** The pairs after one, in order: some hundreds, none at the end. */
  pageAfter(last: Pair | undefined): Promise<readonly StoredPair[]>;
  /** The first pairs of one base. */
  ofBase(base: AssetSymbol, rows: number): Promise<readonly StoredPair[]>;
}

/** What a source's calendar says about a rate. */
export interface Outlook {
  /** Whether a publication is overdue that the rate does not reflect. */
  readonly isMissed: boolean;
  /** RFC 3339 without a fraction; undefined for imports and polled sources. */
  readonly nextPublication: string | undefined;
}

/** What pairs of one publication have in common. */
export interface PairState {
  readonly source: string;
  /** Decides on the outlook, and is in no response. */
  readonly asOf: Instant;
  readonly outlook: Outlook;
  readonly isSuspended: boolean;
}

/** A pair as customers see it. */
export interface CoveredPair extends Pair {
  readonly state: PairState;
}

/** What the pairs that a source owns have in common. */
export interface Owned {
  readonly pairs: number;
  readonly newestAsOf: Instant;
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

/** A time and what the store has then: the same version and `untilMs` give the same pairs. */
export interface Moment {
  readonly nowMs: number;
  readonly version: number;
  /** When a calendar changes the outlook of a pair next. */
  readonly untilMs: number;
  readonly stored: readonly StoredSource[];
}

export interface Coverage {
  moment(): Promise<Moment>;
  /** The same state is the same object. */
  pairAt(moment: Moment, pair: StoredPair): CoveredPair;
  /**
   * The sources that own a pair or are switched on, in order of precedence.
   *
   * @param owned by the key of each source that owns a pair.
   */
  sourcesAt(moment: Moment, owned: ReadonlyMap<string, Owned>): Promise<readonly CoveredSource[]>;
}

/** Polled sources go stale at any time: everything is computed for the last time on this grid. */
const GRID_MS = 30_000;

export function createCoverage(uses: {
  readonly store: Pick<CoverageStore, "version" | "sources">;
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
  const stateAt = createStates(outlookOf);
  const withRarer = knownSources.flatMap(({ key, rarerPairs }) =>
    rarerPairs === undefined ? [] : [{ start: `${key} `, includes: rarerPairs.includes }],
  );
  const isRarer = (pair: StoredPair) =>
    withRarer.some(({ start, includes }) => pair.state.startsWith(start) && includes(pair));
  const countMissed = new Map(
    knownSources.map(({ key, schedule }) => [
      key,
      memoized(schedule, (asOf, nowMs) => {
        return schedule.missed(asOf === undefined ? undefined : Date.parse(asOf), nowMs);
      }),
    ]),
  );
  const relevant = (stored: readonly StoredSource[]) => {
    const owners = stored.filter(({ ownsPairs }) => ownsPairs).map(({ source }) => source);
    return knownSources.filter(({ key }) => switchedOn.includes(key) || owners.includes(key));
  };

  return {
    async moment() {
      const nowMs = Math.floor(clock.nowMs() / GRID_MS) * GRID_MS;
      const version = await store.version();
      const stored = await store.sources();
      const changes = relevant(stored)
        .flatMap(({ schedule, rarerPairs }) => [schedule, rarerPairs?.schedule ?? schedule])
        .map((schedule) => schedule.nextChange(nowMs) ?? nowMs + GRID_MS);
      return { nowMs, version, untilMs: Math.min(...changes), stored };
    },

    pairAt: (moment, pair) => {
      const { base, quote } = pair;
      return { base, quote, state: stateAt(moment, pair, isRarer(pair)) };
    },

    async sourcesAt(moment, owned) {
      const covered: CoveredSource[] = [];
      for (const source of relevant(moment.stored)) {
        const state = moment.stored.find((stored) => stored.source === source.key);
        const { pairs = 0, newestAsOf } = owned.get(source.key) ?? {};
        const asOf = state?.newestAsOf ?? newestAsOf;
        const count = countMissed.get(source.key);
        // Up to 99 searches in the calendar.
        if (count?.isKnown(asOf, moment.nowMs) === false) await nextIteration();
        const missedPublications = count?.ask(asOf, moment.nowMs) ?? 0;
        const { nextPublication } = outlookOf(source.key, asOf, moment.nowMs);
        const lastSuccessAt = state?.lastSuccessAt;
        covered.push({ source, pairs, missedPublications, nextPublication, lastSuccessAt });
      }
      return covered;
    },
  };
}

/** The states of a moment; beyond this number all are forgotten. */
const STATES_MAX = 10_000;

function createStates(
  outlookOf: OutlookOf,
): (moment: Moment, pair: StoredPair, isRarer: boolean) => PairState {
  const states = new Map<string, PairState>();
  let untilMs = 0;
  let last: { readonly text: string; readonly state: PairState } | undefined;
  return (moment, pair, isRarer) => {
    const text = isRarer ? `${pair.state} ` : pair.state;
    if (moment.untilMs !== untilMs || states.size > STATES_MAX) {
      states.clear();
      last = undefined;
    }
    untilMs = moment.untilMs;
    // Neighbors often share it, and an equal text costs less than its hash.
    if (last?.text === text) return last.state;
    const known = states.get(text);
    if (known !== undefined) {
      last = { text, state: known };
      return known;
    }
    const [source = "", asOf = "", isSuspended] = text.split(" ");
    const outlook = outlookOf(source, asOf as Instant, moment.nowMs, pair);
    const state = { source, asOf: asOf as Instant, outlook, isSuspended: isSuspended === "1" };
    states.set(text, state);
    return state;
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
