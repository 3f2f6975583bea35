import type { Instant } from "../../platform/shared/instant.ts";
import type { SourcedRate } from "../served/rules/update-policy.ts";

/** The outcome of a source's last fetches. Times are RFC 3339 in UTC. */
export interface SourceState {
  readonly source: string;
  readonly lastSuccessAt: string | undefined;
  readonly lastErrorAt: string | undefined;
  readonly lastError: string | undefined;
  /** Failures since the last success. */
  readonly failures: number;
  readonly newestAsOf: Instant | undefined;
  readonly nextAttemptAt: string;
  /** The publisher's cache validators, as the source's fetch returned them. */
  readonly validators: string | undefined;
  /** The number of stored pairs that the source owns. */
  readonly pairs: number;
}

/** A pair that is older than the newest figure of its source. */
type PairBehind = Pick<SourcedRate, "base" | "quote" | "source" | "asOf">;

interface FetchSuccess {
  readonly at: string;
  readonly newestAsOf: Instant | undefined;
  readonly nextAttemptAt: string;
}

interface FetchFailure {
  readonly at: string;
  readonly reason: string;
  readonly nextAttemptAt: string;
  /** Of what came in spite of it. */
  readonly newestAsOf?: Instant | undefined;
}

export interface SourceStore {
  /** Every source that was ever fetched. */
  list(): Promise<SourceState[]>;
  /** Those of the fetched sources, the oldest first; none that is suspended. */
  pairsBehind(): Promise<readonly PairBehind[]>;
  /** Adds a source, due at `nextAttemptAt`. A known one that failed last becomes due then, too. */
  add(source: string, nextAttemptAt: string): Promise<void>;
  /**
   * Leases a source for fetching until a time; with `onlyWhenDue`, only if its next attempt is due.
   *
   * @returns false while another node has the lease or, with `onlyWhenDue`, just after its fetch.
   */
  lease(
    source: string,
    lease: { readonly now: string; readonly until: string; readonly onlyWhenDue: boolean },
  ): Promise<boolean>;
  /** Releases the lease of a fetch without an outcome. */
  release(source: string): Promise<void>;
  /** Records the outcome of a fetch and releases the lease. */
  recordSuccess(source: string, success: FetchSuccess): Promise<void>;
  recordFailure(source: string, failure: FetchFailure): Promise<void>;
}
