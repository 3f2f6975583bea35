import type { Decimal } from "../../platform/shared/decimal.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import type { Figure } from "./figures.ts";
import type { HeadersOf } from "./headers.ts";
import type { Publication } from "./history.ts";
import type { Disagreement, OtherFigure } from "./rules/disagreement.ts";
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
  /** The publisher's own. */
  readonly date: string;
  readonly heldAt: string;
  /** The rate that is served while this one is held; none of a pair that is not served. */
  readonly servedRate: Decimal | undefined;
  /** Set: it differs from another publisher's figure. The document is its own. */
  readonly disagreement?: Disagreement & Pick<OtherFigure, "document">;
}

/** A figure that its document contradicts: it is neither served nor in its series. */
export interface Contradiction extends Figure {
  readonly heldAt: string;
  /** The name of the document; undefined if the history no longer has it. */
  readonly document: string | undefined;
  /** Unset: the pair is not served. */
  readonly servedRate: Decimal | undefined;
  /** Whether no other figure is stated for its place: it was held for a jump. */
  readonly isJump: boolean;
}

export interface HeldContradictions {
  /** The publication's id. */
  readonly publication: number;
  /** For each figure whether it is held, or what was decided about it before. */
  readonly outcomes: readonly ("held" | "released" | "dropped")[];
}

export interface ContradictionStore {
  /**
   * Holds the figures of a document that contradict each other, with an event for each. What was
   * decided about the same figures stands.
   */
  hold(
    figures: readonly SourcedRate[],
    publication: Publication | number,
    origin: Origin,
  ): Promise<HeldContradictions>;
  /** Every held one, ordered by pair, source, kind and time. */
  list(): Promise<Contradiction[]>;
  /**
   * Adds a held figure to its series, and serves it where the policy says so; those that contradict
   * it are dropped.
   *
   * @param how.isServed whether its kind is served, and has begun.
   * @returns whether it is served, or undefined when it is not held.
   */
  release(
    figure: Figure,
    how: Pick<RateUpdate, "policy" | "headersOf" | "origin"> & { readonly isServed: boolean },
  ): Promise<boolean | undefined>;
  /** Drops all of a pair. @returns how many. */
  drop(pair: Pair, origin: Origin): Promise<number>;
}

/** A deleted rate, and the held one of its pair that was deleted with it. */
export interface RemovedRate {
  readonly rate: StoredRate;
  readonly held: SourcedRate | undefined;
}

/** What decides whether rates are served. */
export interface HowToDecide {
  readonly policy: UpdatePolicy;
  /** A rate to store is held if it differs by more from another publisher's. Unset: none is. */
  readonly maxDisagreement?: Decimal | undefined;
}

/** How rates are stored, and where they came from. */
export interface RateUpdate extends HowToDecide {
  readonly headersOf: HeadersOf;
  /** What brought the rates, or the id of one that is stored already. */
  readonly publication: Publication | number;
  /** Who stores them, and when. */
  readonly origin: Origin;
  /** The cache validators of a fetch, for the next one. Unset for any other publication. */
  readonly validators?: string | undefined;
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
  previewUpdate(
    rates: readonly SourcedRate[],
    policy: UpdatePolicy,
    maxDisagreement?: Decimal | undefined,
  ): Promise<DecidedUpdate[]>;
  /** Every held rate, ordered by pair. */
  listHeld(): Promise<HeldRate[]>;
  /**
   * Serves a held rate, which its series has since it was held.
   *
   * @param rate only this one: a fetch may have replaced what an operator has seen.
   * @returns it, or undefined when none is held, or another one.
   */
  releaseHeld(
    pair: Pair,
    headersOf: HeadersOf,
    origin: Origin,
    rate?: Decimal,
  ): Promise<SourcedRate | undefined>;
  /**
   * Deletes a held rate, and takes its figure out of its series: until the publisher states it
   * again.
   *
   * @returns false when none is held.
   */
  dropHeld(pair: Pair, origin: Origin): Promise<boolean>;
  /**
   * Computes headers of stored rates anew, in many short transactions.
   *
   * @returns the number of rates.
   */
  renewHeaders(which: RatesToRenew, headersOf: HeadersOf, now: string): Promise<number>;
  /**
   * Adds the digests of their documents to the headers of served rates that lack it, where it is
   * known: after an import, and once to a store of an earlier version. Signatures stay.
   *
   * @returns its steps, each of a few milliseconds. Pause between them, for other work.
   */
  addDocuments(): AsyncIterable<void>;
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
