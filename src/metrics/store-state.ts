import type { Logger } from "pino";
import type { MailStore, OutboxState } from "../mail/store.ts";
import { readSourceStatus, type SourceStatus } from "../rates/refresh.ts";
import type { RateSource } from "../rates/source.ts";
import type { SourceStore } from "../rates/store.ts";
import type { Clock } from "../shared/clock.ts";

/** The store is asked once in so long, however many ask here. */
const CACHE_MS = 5000;

/** What the store itself tells; undefined when it is not there to be asked. */
export type StoreReading =
  | { readonly sources: readonly SourceStatus[]; readonly outbox: OutboxState }
  | undefined;

export type ReadStore = () => Promise<StoreReading>;

/** Those who ask together share one answer, and it serves for some seconds: a failure, too. */
export function createStoreStateCache(uses: {
  readonly store: SourceStore & MailStore;
  readonly sources: readonly RateSource[];
  readonly clock: Clock;
  readonly log: Logger;
}): ReadStore {
  const { store, sources, clock, log } = uses;
  let reading: Promise<StoreReading> | undefined;
  let askedMs = 0;

  const ask = async (): Promise<StoreReading> => {
    try {
      const [states, outbox] = await Promise.all([
        readSourceStatus(store, sources, clock.nowMs()),
        store.outboxState(),
      ]);
      return { sources: states, outbox };
    } catch (err) {
      log.error({ err }, "the store could not be asked for metrics");
      return undefined;
    }
  };

  return () => {
    const ageMs = clock.nowMs() - askedMs;
    // A clock that was put back is no reason to wait for it.
    if (reading === undefined || ageMs >= CACHE_MS || ageMs < 0) {
      askedMs = clock.nowMs();
      reading = ask();
    }
    return reading;
  };
}
