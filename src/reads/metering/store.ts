import type { BillingPeriod, KeyQuota, Quota } from "../../customers/billing/rules.ts";
import type { KeyRejection } from "../../platform/shared/caller.ts";
import type { Failure } from "../../platform/shared/failure.ts";
import type { StoreUnavailable } from "../../platform/shared/store.ts";
import type { PastFigure, PastMoment, PastRates } from "../../rates/served/rules/past.ts";
import type { ServedRate } from "../../rates/served/rules/rate.ts";
import type { Pair } from "../../rates/served/rules/symbol.ts";

/** Which earlier figure a read searches for in the series of its pair's owner. */
export type PastSearch = Pick<PastMoment, "latest" | "date"> & Pick<PastRates, "servedKinds">;

/** One metered read of a batch. */
export interface RateRead {
  readonly keyHash: string;
  /** Without a pair the key is checked and its quota returned, but nothing is charged. */
  readonly pair: Pair | undefined;
  /** Undefined for a read of the newest rate. */
  readonly past?: PastSearch | undefined;
  readonly period: BillingPeriod;
  /** The UTC day of the charge. */
  readonly day: string;
  /** When it arrived: what has ended by then is not used. */
  readonly nowMs: number;
}

export type RateFound =
  | ServedRate
  /** For a read of a past time whose pair is served. */
  | PastFigure
  | "no_figure"
  | "no_pair"
  /** The account's quota is used up. */
  | "exhausted"
  /** A cap of the key is. */
  | "key_exhausted"
  | "unsupported"
  /** The pair is not stored, but a read of its other direction would get a rate. */
  | "only_inverse"
  | "suspended"
  /** The stored rate is damaged. */
  | Failure
  | StoreUnavailable;

/** A read of an account whose quota is not stored: nothing is charged. */
export interface ReadWithoutQuota {
  readonly accountId: string;
  readonly quota: undefined;
  readonly found: "no_pair" | StoreUnavailable;
}

/** A read with a stored key that may not read: nothing is charged. */
export interface RejectedRead {
  readonly accountId: string;
  readonly quota: undefined;
  readonly found: undefined;
  readonly rejection: KeyRejection;
}

/** A read of a key that may read. */
export interface MeteredOutcome {
  readonly accountId: string;
  readonly quota: Quota;
  /** Of a key with caps, the period's first. */
  readonly keyQuotas?: readonly KeyQuota[] | undefined;
  readonly found: RateFound;
}

/** The outcome of a read; `undefined` when no key has that hash. */
export type RateReadOutcome = MeteredOutcome | ReadWithoutQuota | RejectedRead | undefined;

export interface MeterStore {
  /**
   * Checks the key, charges one unit and reads the rate, in one transaction that is on disk before
   * the promise resolves. A rate that cannot be read is charged; no other failure is.
   *
   * @throws {StoreUnavailable} nothing of this read is charged, unless the error is in doubt.
   */
  read(read: RateRead): Promise<RateReadOutcome>;
}

/** Runs batches of metered reads. */
export interface BatchStore {
  /**
   * Reads of one day in the order of their arrival, as one transaction that is on disk on return.
   *
   * @throws {StoreUnavailable} nothing of the batch is charged, unless the error is in doubt.
   */
  readBatch(reads: readonly RateRead[]): RateReadOutcome[] | Promise<RateReadOutcome[]>;
}
