import type { Decimal } from "../shared/decimal.ts";
import type { Instant } from "../shared/instant.ts";
import type { Pair } from "./rules/symbol.ts";
import type { SourcedRate, UpdateDecision, UpdatePolicy } from "./rules/update-policy.ts";

export interface StoredRate extends SourcedRate {
  /** When its operator suspended the pair. */
  readonly suspendedAt: string | undefined;
}

/** What would become of a rate. */
export interface DecidedUpdate {
  readonly next: SourcedRate;
  readonly standing: SourcedRate | undefined;
  readonly verdict: UpdateDecision;
}

export interface HeldRate extends SourcedRate {
  readonly heldAt: string;
  /** The rate that is served meanwhile. */
  readonly standing: Decimal;
}

export interface RateStore {
  /**
   * Judges each rate by the stored one and does what the verdict says, all in one transaction: a
   * rate that is stored replaces a held one of its pair, a held rate replaces the one held before.
   *
   * @returns the verdicts.
   */
  storeRates(
    rates: readonly SourcedRate[],
    judge: UpdatePolicy,
    now: string,
  ): Promise<UpdateDecision[]>;
  /** What `storeRates` would do, without doing it, beside what is stored. */
  previewUpdates(rates: readonly SourcedRate[], judge: UpdatePolicy): Promise<DecidedUpdate[]>;
  /** Every held rate, in order of its pair. */
  listHeldRates(): Promise<HeldRate[]>;
  /** Serves a held rate from now on. @returns it, or undefined when none is held. */
  releaseRate(pair: Pair): Promise<SourcedRate | undefined>;
  /** Forgets a held rate. @returns false when none is held. */
  dropHeldRate(pair: Pair): Promise<boolean>;
  /** Every rate in order of its pair, or those of one base. */
  listRates(base?: string): Promise<StoredRate[]>;
  hasRates(): Promise<boolean>;
  /** Suspends the pair at a time or, without one, resumes it. @returns false: no such pair. */
  suspendRate(pair: Pair, at: string | undefined): Promise<boolean>;
}

/** How the last fetches of a source went. Times are RFC 3339 in UTC. */
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
  /** Pairs that it serves. */
  readonly pairs: number;
}

export interface FetchSuccess {
  readonly at: string;
  readonly newestAsOf: Instant | undefined;
  readonly validators: string | undefined;
  readonly nextAttemptAt: string;
}

export interface FetchFailure {
  readonly at: string;
  readonly reason: string;
  readonly nextAttemptAt: string;
}

export interface SourceStore {
  /** Every source that was ever fetched. */
  listSources(): Promise<SourceState[]>;
  /** Makes a source known, due at `nextAttemptAt`; one that failed last becomes due then, too. */
  addSource(source: string, nextAttemptAt: string): Promise<void>;
  /**
   * Takes a source for fetching until a time, where asked for only when its next attempt is due.
   *
   * @returns false while another node has it, or after it has just fetched it.
   */
  leaseSource(
    source: string,
    lease: { readonly now: string; readonly until: string; readonly onlyWhenDue: boolean },
  ): Promise<boolean>;
  /** Gives the lease back of a fetch that came to nothing. */
  releaseSource(source: string): Promise<void>;
  /** Notes the outcome of a fetch, and gives the lease back. */
  recordSuccess(source: string, success: FetchSuccess): Promise<void>;
  recordFailure(source: string, failure: FetchFailure): Promise<void>;
}
