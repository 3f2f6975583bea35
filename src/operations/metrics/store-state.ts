import type { Logger } from "pino";
import type { MailStore, OutboxState } from "../../customers/findings.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { StoreStatus } from "../../platform/shared/store.ts";
import type { RateSource, SourceStore } from "../../rates/findings.ts";
import { createMissedCounts, readSourceStatus, type SourceStatus } from "../../rates/findings.ts";

/** The store is queried at most once in this time, however many scrapers ask. */
const CACHE_MS = 5000;

/** The state that the store reports; undefined when it does not respond or accept writes. */
type StoreReading =
  | { readonly sources: readonly SourceStatus[]; readonly outbox: OutboxState }
  | undefined;

export type ReadStore = () => Promise<StoreReading>;

export interface StoreStateUses {
  readonly store: {
    readonly status: StoreStatus;
    readonly sources: SourceStore;
    readonly mails: MailStore;
  };
  readonly sources: readonly RateSource[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Concurrent callers share one result, which is cached for CACHE_MS: a failure, too. */
export function createStoreStateCache(uses: StoreStateUses): ReadStore {
  const { store, sources, clock, log } = uses;
  let reading: Promise<StoreReading> | undefined;
  let readMs = 0;
  const missedBy = createMissedCounts(sources);

  const readState = async (): Promise<StoreReading> => {
    try {
      await store.status.checkWrites();
      const [states, outbox] = await Promise.all([
        readSourceStatus(store.sources, sources, clock.nowMs(), missedBy),
        store.mails.outboxState(),
      ]);
      return { sources: states, outbox };
    } catch (err) {
      log.error({ err }, "the store could not be asked for metrics");
      return undefined;
    }
  };

  return () => {
    const ageMs = clock.nowMs() - readMs;
    // A clock that was set back must not prolong the cache.
    if (reading === undefined || ageMs >= CACHE_MS || ageMs < 0) {
      readMs = clock.nowMs();
      reading = readState();
    }
    return reading;
  };
}
