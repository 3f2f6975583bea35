import { apiKeyRequired, isApiKey, keyPrefixOf } from "../../customers/api-keys/rules.ts";
import {
  type BillingPeriod,
  billingPeriodAt,
  type KeyQuota,
  type Quota,
  remainingUnits,
  utcDay,
} from "../../customers/billing/rules.ts";
import type { Caller } from "../../platform/shared/caller.ts";
import { type Clock, DAY_MS } from "../../platform/shared/clock.ts";
import { Failure, toFailure } from "../../platform/shared/failure.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { StoreOverloaded, StoreUnavailable } from "../../platform/shared/store.ts";
import type { PastFigure, PastMoment, PastRates } from "../../rates/served/rules/past.ts";
import { type CountMissed, RATE_MISSED, type ServedRate } from "../../rates/served/rules/rate.ts";
import { inverseOf, type Pair, parsePair } from "../../rates/served/rules/symbol.ts";
import {
  invalidAssetSymbol,
  noFigure,
  rateSuspended,
  rateUnavailable,
  readsOverloaded,
  unsupportedPair,
} from "./rules.ts";
import type { MeterStore, RateFound, RejectedRead } from "./store.ts";

/** The quota of a valid key's account after a read. */
export interface QuotaState {
  readonly quota: Quota;
  readonly period: BillingPeriod;
  /** Whole seconds until the period ends. */
  readonly secondsToReset: number;
  /** Of a key with caps. */
  readonly keyQuotas: readonly KeyQuotaState[] | undefined;
}

/** What is left of a cap of a key, and until when. */
interface KeyQuotaState extends KeyQuota {
  /** RFC 3339 in UTC: the end of the period or of the day. */
  readonly resetAt: string;
  readonly secondsToReset: number;
}

/** The result of a read. */
export interface ReadResult {
  readonly result: ServedRate | Failure;
  /** Undefined without a valid key. */
  readonly quotaState: QuotaState | undefined;
  readonly unitsCharged: UnitsCharged;
  /** Undefined without a text that has the form of a key. */
  readonly caller: Caller | undefined;
}

/** What a read or a call has cost; undefined when that is not known: a commit is in doubt. */
export type UnitsCharged = 0 | 1 | undefined;

/**
 * Reads one rate for one unit, in the order of the specification (section 4): the key, the
 * symbols, the charge, the rate. Failures are returned, not thrown: they carry what they cost.
 *
 * @param past asks for the figure of a past time instead of the newest.
 */
export type ReadRate = (
  apiKey: string | undefined,
  base: string,
  quote: string,
  past?: PastMoment,
) => Promise<ReadResult>;

const free = (failure: Failure, caller?: Caller): ReadResult => {
  return { result: failure, quotaState: undefined, unitsCharged: 0, caller };
};
const noKey = free(apiKeyRequired);

export function createReadRate(uses: {
  readonly store: { readonly metering: MeterStore };
  readonly secrets: Pick<Secrets, "hash">;
  readonly clock: Clock;
  readonly countMissed: CountMissed;
  readonly pastRates: PastRates;
  /** Where people reach this server. */
  readonly publicUrl: () => string;
}): ReadRate {
  const { secrets, clock, countMissed, pastRates, publicUrl } = uses;
  const { metering } = uses.store;
  const calendar = createCalendar();

  return (apiKey, base, quote, asked) => {
    if (apiKey === undefined || !isApiKey(apiKey)) return Promise.resolve(noKey);
    const nowMs = clock.nowMs();
    const { period, day } = calendar(nowMs);
    const pair = parsePair(base, quote);
    const past = asked && { ...asked, servedKinds: pastRates.servedKinds };
    const read = { keyHash: secrets.hash(apiKey), pair, past, period, day, nowMs };
    const keyPrefix = keyPrefixOf(apiKey);
    return metering.read(read).then(
      (outcome) => {
        if (outcome?.found === undefined) return free(apiKeyRequired, rejected(keyPrefix, outcome));
        const { accountId, quota, found } = outcome;
        const caller = { keyPrefix, accountId };
        // The symbols are checked before the charge, and so before its quota (section 4).
        if (quota === undefined) {
          return found === "no_pair"
            ? free(invalidAssetSymbol, caller)
            : withoutQuota(found, caller);
        }
        const secondsToReset = secondsUntil(period.endMs, nowMs);
        const keyQuotas = outcome.keyQuotas?.map((each) => withReset(each, period, nowMs));
        const quotaState = { quota, period, secondsToReset, keyQuotas };
        const unitsCharged = isFree(found) ? 0 : 1;
        if (isPastFigure(found)) {
          // It is found for such a read alone.
          const rate = pastRates.toRate(found, asked as PastMoment).catch(toFailure);
          return rate.then((result) => ({ result, quotaState, unitsCharged, caller }));
        }
        let result = resultOf(found, quotaState, pair, publicUrl);
        if (!(result instanceof Failure) && nowMs >= result.nextMs) {
          result = withMissed(result, countMissed(result, nowMs));
        }
        return { result, quotaState, unitsCharged, caller };
      },
      (error: unknown) => withoutQuota(error, { keyPrefix }),
    );
  };
}

function rejected(keyPrefix: string, read: RejectedRead | undefined): Caller {
  return { keyPrefix, accountId: read?.accountId, rejection: read?.rejection ?? "unknown" };
}

/** The result when the store fails: the quota is unknown. */
function withoutQuota(error: unknown, caller: Caller): ReadResult {
  if (error instanceof StoreOverloaded) return free(readsOverloaded, caller);
  const isStores = error instanceof StoreUnavailable;
  const unitsCharged = isStores && !error.isInDoubt ? 0 : undefined;
  const result = isStores ? rateUnavailable(error) : toFailure(error);
  return { result, quotaState: undefined, unitsCharged, caller };
}

/** Whether a read of a valid key is not charged: there is no pair, or no unit is left. */
export function isFree(found: RateFound): boolean {
  return found === "no_pair" || found === "exhausted" || found === "key_exhausted";
}

const secondsUntil = (epochMs: number, nowMs: number) => Math.ceil((epochMs - nowMs) / 1000);

function withReset(quota: KeyQuota, period: BillingPeriod, nowMs: number): KeyQuotaState {
  const endMs = quota.span === "day" ? nowMs - (nowMs % DAY_MS) + DAY_MS : period.endMs;
  return { ...quota, resetAt: timestamp(endMs), secondsToReset: secondsUntil(endMs, nowMs) };
}

function isPastFigure(found: RateFound): found is PastFigure {
  return typeof found === "object" && "document" in found;
}

function resultOf(
  found: Exclude<RateFound, PastFigure>,
  quotaState: QuotaState,
  pair: Pair | undefined,
  publicUrl: () => string,
): ServedRate | Failure {
  if (found === "no_pair" || pair === undefined) return invalidAssetSymbol;
  if (found === "unsupported") return unsupportedPair(publicUrl());
  if (found === "only_inverse") return unsupportedPair(publicUrl(), inverseOf(pair));
  if (found === "no_figure") return noFigure(publicUrl(), pair);
  if (found === "suspended") return rateSuspended;
  if (found === "exhausted") {
    const { quota, period, secondsToReset } = quotaState;
    return quotaExceeded(quota.quotaUnits, period.end, secondsToReset);
  }
  if (found === "key_exhausted") return keyQuotaExceeded(quotaState.keyQuotas ?? []);
  return found instanceof StoreUnavailable ? rateUnavailable(found) : found;
}

/** A rate says how old it is only when its next publication has come and was not stored. */
function withMissed(rate: ServedRate, missed: number): ServedRate {
  if (missed === 0) return rate;
  return { ...rate, headers: [...rate.headers, RATE_MISSED, String(missed)] };
}

/** @param resetAt when what is used up begins anew: RFC 3339 in UTC. */
export function quotaExceeded(
  limit: number,
  resetAt: string,
  retryAfterSeconds: number,
  message = "Request-unit quota exceeded for the current billing period.",
) {
  const quota = { limit, remaining: 0, reset_at: resetAt };
  return new Failure("quota_exceeded", message, { quota, retryAfterSeconds });
}

const spans = { period: "billing period", day: "UTC day" };

/** @param quotas those of the key, of which one is used up: the period's comes first. */
function keyQuotaExceeded(quotas: readonly KeyQuotaState[]): Failure {
  const used = quotas.find((quota) => remainingUnits(quota) === 0);
  if (used === undefined) throw new Error("no cap of the key is used up");
  const message = `This API key's limit for the current ${spans[used.span]} is used up.`;
  return quotaExceeded(used.quotaUnits, used.resetAt, used.secondsToReset, message);
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
