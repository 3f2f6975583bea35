import { apiKeyRequired, isApiKey } from "../api-keys/rules.ts";
import { type BillingPeriod, billingPeriodAt, type Quota, utcDay } from "../billing/rules.ts";
import type { ServedRate } from "../rates/rules/rate.ts";
import { parsePair } from "../rates/rules/symbol.ts";
import { type Clock, DAY_MS } from "../shared/clock.ts";
import { Failure } from "../shared/failure.ts";
import type { Secrets } from "../shared/secrets.ts";
import { StoreOverloaded, StoreUnavailable } from "../shared/store.ts";
import {
  invalidAssetSymbol,
  rateSuspended,
  rateUnavailable,
  readsOverloaded,
  unsupportedPair,
} from "./rules.ts";
import type { MeterStore, RateFound } from "./store.ts";

/** The quota of a valid key's account after a read. */
export interface QuotaState {
  readonly quota: Quota;
  readonly period: BillingPeriod;
  /** Whole seconds until the period ends. */
  readonly secondsToReset: number;
}

/** The result of a read: its rate or its failure and, if the key was valid, the quota state. */
export interface ReadResult {
  readonly result: ServedRate | Failure;
  readonly quotaState: QuotaState | undefined;
}

/**
 * Reads one rate for one unit, in the order of the specification (section 4): the key, the
 * symbols, the charge, the rate. Failures are returned, not thrown: most carry the quota state.
 */
export type ReadRate = (
  apiKey: string | undefined,
  base: string,
  quote: string,
) => Promise<ReadResult>;

const rejectedKey: ReadResult = { result: apiKeyRequired, quotaState: undefined };
const invalidSymbol: ReadResult = { result: invalidAssetSymbol, quotaState: undefined };
const busy: ReadResult = { result: readsOverloaded, quotaState: undefined };

export function createReadRate(uses: {
  readonly store: { readonly metering: MeterStore };
  readonly secrets: Pick<Secrets, "hash">;
  readonly clock: Clock;
}): ReadRate {
  const { secrets, clock } = uses;
  const { metering } = uses.store;
  const calendar = createCalendar();

  return (apiKey, base, quote) => {
    if (apiKey === undefined || !isApiKey(apiKey)) return Promise.resolve(rejectedKey);
    const nowMs = clock.nowMs();
    const { period, day } = calendar(nowMs);
    const read = { keyHash: secrets.hash(apiKey), pair: parsePair(base, quote), period, day };
    return metering.read(read).then((outcome) => {
      if (outcome === undefined) return rejectedKey;
      const { quota, found } = outcome;
      // The symbols are checked before the charge, and so before its quota (section 4).
      if (quota === undefined) return found === "no_pair" ? invalidSymbol : uncharged(found);
      const secondsToReset = Math.ceil((period.endMs - nowMs) / 1000);
      const quotaState = { quota, period, secondsToReset };
      return { result: resultOf(found, quotaState), quotaState };
    }, uncharged);
  };
}

/** When the store fails, the account is unknown and nothing is charged. */
function uncharged(error: unknown): ReadResult {
  if (error instanceof StoreOverloaded) return busy;
  if (!(error instanceof StoreUnavailable)) throw error;
  return { result: rateUnavailable(error), quotaState: undefined };
}

function resultOf(found: RateFound, quotaState: QuotaState): ServedRate | Failure {
  if (found === "no_pair") return invalidAssetSymbol;
  if (found === "unsupported") return unsupportedPair;
  if (found === "suspended") return rateSuspended;
  if (found === "exhausted") return quotaExceeded(quotaState);
  return found instanceof StoreUnavailable ? rateUnavailable(found) : found;
}

function quotaExceeded({ quota, period, secondsToReset }: QuotaState): Failure {
  return new Failure(
    "quota_exceeded",
    "Request-unit quota exceeded for the current billing period.",
    {
      quota: { limit: quota.quotaUnits, remaining: 0, reset_at: period.end },
      retryAfterSeconds: secondsToReset,
    },
  );
}

/** Caches the period and day of the last call: they change once a day. */
function createCalendar(): (nowMs: number) => { period: BillingPeriod; day: string } {
  let dayNumber = Number.NaN;
  let today = { period: billingPeriodAt(0), day: utcDay(0) };
  return (nowMs) => {
    const number = Math.floor(nowMs / DAY_MS);
    if (number !== dayNumber) {
      dayNumber = number;
      today = { period: billingPeriodAt(nowMs), day: utcDay(nowMs) };
    }
    return today;
  };
}
