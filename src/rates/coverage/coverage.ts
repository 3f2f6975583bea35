import type { Clock } from "../../platform/shared/clock.ts";
import type { Instant } from "../../platform/shared/instant.ts";
import type { AssetSymbol, Pair } from "../served/rules/symbol.ts";
import { createMissedCounts, createOutlooks, type Outlook } from "../sources/outlook.ts";
import type { RateSource } from "../sources/source.ts";
import type { SourceState, SourceStore } from "../sources/store.ts";

// What exists: the pairs and their sources, without figures and without the observation times of
// pairs, which a read pays for. A source has the newest time of its figures: readers see its age.

/** A stored pair. */
export interface StoredPair extends Pair {
  readonly source: string;
  /** Decides on the outlook, and is in no response. */
  readonly asOf: Instant;
  readonly isSuspended: boolean;
}

/** A source that owns a pair or was ever fetched. */
type StoredSource = Pick<
  SourceState,
  "source" | "pairs" | "lastSuccessAt" | "newestAsOf" | "failures" | "lastErrorAt"
>;

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
  /** The first pairs of a source that a read can get: none that is suspended. */
  pairsOfSource(source: string, limit: number): Promise<readonly Pair[]>;
}

/** A pair as customers see it. */
export interface CoveredPair extends StoredPair {
  readonly outlook: Outlook;
}

/** The state of a source, for customers. */
export interface CoveredSource extends Omit<StoredSource, "source"> {
  readonly source: RateSource;
  readonly missedPublications: number;
  /** The number of pairs that its newer publications have left out. */
  readonly missedPairs: number;
  readonly isUpToDate: boolean;
  readonly nextPublication: string | undefined;
  /** Undefined when the last fetch succeeded. Its text is the operator's: it may name hosts. */
  readonly lastErrorAt: string | undefined;
}

/** A publisher that owns a pair, and the first of the pairs that a read can get. */
export interface Publisher extends CoveredSource {
  readonly readablePairs: readonly Pair[];
}

export type Coverage = ReturnType<typeof createCoverage>;

export function createCoverage(uses: {
  readonly store: CoverageStore & Pick<SourceStore, "pairsBehind">;
  readonly clock: Clock;
  /** The keys of the sources that are switched on. */
  readonly switchedOn: readonly string[];
  /** In order of precedence: a store may have rates of those that are switched off. */
  readonly knownSources: readonly RateSource[];
  /** Lets other requests run between two sources. */
  readonly nextIteration: () => Promise<void>;
}) {
  const { store, clock, switchedOn, knownSources, nextIteration } = uses;
  const outlookOf = createOutlooks(knownSources);
  const missedBy = createMissedCounts(knownSources);

  const coverage = {
    /** A page of the pairs; `next` is its last one if there are more. */
    async pairs(page: PageOfPairs) {
      const nowMs = clock.nowMs();
      // One more than the page shows whether there is a next one.
      const stored = await store.pairs({ ...page, limit: page.limit + 1 });
      const pairs = stored.slice(0, page.limit).map((pair): CoveredPair => {
        return { ...pair, outlook: outlookOf(pair.source, pair.asOf, nowMs, pair) };
      });
      return { pairs, next: stored.length > page.limit ? pairs.at(-1) : undefined };
    },

    /** The sources that own a pair or are switched on, in order of precedence. */
    async sources(): Promise<readonly CoveredSource[]> {
      const nowMs = clock.nowMs();
      const states = new Map((await store.sources()).map((state) => [state.source, state]));
      const behind = await store.pairsBehind();
      const covered: CoveredSource[] = [];
      for (const source of knownSources) {
        const state = states.get(source.key);
        const { pairs = 0, failures = 0, lastSuccessAt, newestAsOf } = state ?? {};
        if (pairs === 0 && !switchedOn.includes(source.key)) continue;
        const startedMs = clock.nowMs();
        const missedPublications = missedBy(source.key, newestAsOf, nowMs);
        // Unless it is known, up to 99 searches in the calendar: 10 to 30 ms.
        if (clock.nowMs() > startedMs) await nextIteration();
        const { nextPublication } = outlookOf(source.key, newestAsOf, nowMs);
        const missedPairs = behind
          .filter((pair) => pair.source === source.key)
          .filter((pair) => outlookOf(source.key, pair.asOf, nowMs, pair).isMissed).length;
        const lastErrorAt = failures === 0 ? undefined : state?.lastErrorAt;
        const outcome = { lastSuccessAt, newestAsOf, failures, lastErrorAt };
        const isUpToDate = missedPublications + missedPairs === 0;
        const missing = { missedPublications, missedPairs, isUpToDate, nextPublication };
        covered.push({ source, pairs, ...missing, ...outcome });
      }
      return covered;
    },

    /** The number of all pairs, imported ones included. */
    async countPairs() {
      return (await store.sources()).reduce((sum, { pairs }) => sum + pairs, 0);
    },

    /** What visitors may see: publishers and their pairs. The operator's imports are not public. */
    async publishers() {
      const publishers: Publisher[] = [];
      for (const covered of await coverage.sources()) {
        if (covered.pairs === 0) continue;
        await nextIteration();
        const { key } = covered.source;
        const readablePairs = await store.pairsOfSource(key, PAIRS_PER_PAGE_MAX);
        publishers.push({ ...covered, readablePairs });
      }
      return publishers;
    },
  };
  return coverage;
}
