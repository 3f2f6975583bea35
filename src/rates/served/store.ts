import type { Decimal } from "../../platform/shared/decimal.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import type { HeadersOf } from "./headers.ts";
import type { Publication } from "./history.ts";
import type { Pair } from "./rules/symbol.ts";
import type { SourcedRate, UpdateDecision, UpdatePolicy } from "./rules/update-policy.ts";

export interface StoredRate extends SourcedRate {
  /** When the operator suspended the pair. */
  readonly suspendedAt: string | undefined;
}

/** What storing a rate would do. */
export interface DecidedUpdate {
  readonly next: SourcedRate;
  /** The stored rate. */
  readonly current: SourcedRate | undefined;
  readonly decision: UpdateDecision;
  /** Whether its series does not have its figure. */
  readonly isNew: boolean;
}

export interface HeldRate extends SourcedRate {
  readonly heldAt: string;
  /** The rate that is served while this one is held. */
  readonly servedRate: Decimal;
}

/** A deleted rate, and the held one of its pair that was deleted with it. */
export interface RemovedRate {
  readonly rate: StoredRate;
  readonly held: SourcedRate | undefined;
}

/** How rates are stored, and where they came from. */
export interface RateUpdate {
  readonly policy: UpdatePolicy;
  readonly headersOf: HeadersOf;
  /** What brought the rates, or the id of one that is stored already. */
  readonly publication: Publication | number;
  /** Who stores them, and when. */
  readonly origin: Origin;
  /** Figures of the publication that are not to be served: they go to their series alone. */
  readonly further?: readonly SourcedRate[];
}

export interface UpdateOutcome {
  /** The decisions, in the order of the rates. */
  readonly decisions: readonly UpdateDecision[];
  /** For each rate whether its series did not have its figure. */
  readonly isNew: readonly boolean[];
  /** The publication's id. */
  readonly publication: number;
}

/** After a restore no rate has headers; those stored without a key have no signature. */
export type RatesToRenew = "without headers" | "without a signature" | "all";

export interface RateStore {
  /**
   * Compares each rate with the stored one and applies the decision, all in one transaction, and
   * adds each accepted rate to its pair's history, and each figure, accepted or not, to its series.
   * A rate that is stored replaces a held one of its pair; a held rate replaces the one held
   * before. An event records that a pair begins to be held.
   */
  update(rates: readonly SourcedRate[], how: RateUpdate): Promise<UpdateOutcome>;
  /** Updates a store without any rate. @returns false when it has some: nothing was changed. */
  seed(rates: readonly SourcedRate[], how: RateUpdate): Promise<boolean>;
  /** Returns what `update` would do, with the stored rates, and stores nothing. */
  previewUpdate(rates: readonly SourcedRate[], policy: UpdatePolicy): Promise<DecidedUpdate[]>;
  /** Every held rate, ordered by pair. */
  listHeld(): Promise<HeldRate[]>;
  /**
   * Serves a held rate, which its series has since it was held.
   *
   * @returns it, or undefined when none is held.
   */
  releaseHeld(pair: Pair, headersOf: HeadersOf, origin: Origin): Promise<SourcedRate | undefined>;
  /** Deletes a held rate. @returns false when none is held. */
  dropHeld(pair: Pair, origin: Origin): Promise<boolean>;
  /**
   * Computes headers of stored rates anew, in many short transactions.
   *
   * @returns the number of rates.
   */
  renewHeaders(which: RatesToRenew, headersOf: HeadersOf, now: string): Promise<number>;
  /** Every rate, or those of one base, ordered by pair. */
  list(base?: string): Promise<StoredRate[]>;
  hasAny(): Promise<boolean>;
  /** @returns false when the pair is not stored. */
  suspend(pair: Pair, origin: Origin): Promise<boolean>;
  /** Serves a suspended pair again. @returns false when the pair is not stored. */
  resume(pair: Pair, origin: Origin): Promise<boolean>;
  /**
   * Deletes the rate of a pair and a held one, and the validators of its source: the source's next
   * fetch then gets the whole publication, and may store the pair again.
   *
   * @returns what was deleted, or undefined for an unknown pair.
   */
  remove(pair: Pair, origin: Origin): Promise<RemovedRate | undefined>;
}
