import assert from "node:assert/strict";
import type { Answer } from "../support/client.ts";
import { monthEndMs, monthStartMs, rfc3339, SECOND_MS, secondsUntil } from "./calendar.ts";
import { type ExpectedFailure, keyRequired } from "./expected.ts";
import type { Model } from "./model.ts";
import type { PairName, Person } from "./names.ts";
import { asOfText, type PairState } from "./pair-state.ts";

/** What a read requests: a pair of the story, or invalid symbols. */
export type Asked = PairName | "bad symbols";

/** The state of the quota in the response to a key. */
export interface QuotaState {
  readonly quotaUnits: number;
  readonly left: number;
}

export interface ExpectedRead {
  /** The pair as it is served, or the failure. */
  readonly result: PairState | ExpectedFailure;
  /** Only responses to a valid key contain it. */
  readonly quotaState: QuotaState | undefined;
  readonly units: 0 | 1;
}

/** One read, in the order of the specification (section 4), charged to the model. */
export function readInModel(
  model: Model,
  person: Person,
  keyNumber: number,
  asked: Asked,
): ExpectedRead {
  const key = model.key(person, keyNumber);
  if (key === undefined || key.revokedMs !== undefined) {
    return { result: keyRequired, quotaState: undefined, units: 0 };
  }
  const account = model.account(person);
  const quotaUnits = model.quotaUnits(account);
  const quotaState = () => ({ quotaUnits, left: model.unitsLeft(account) });
  if (asked === "bad symbols") return { result: BAD_SYMBOLS, quotaState: quotaState(), units: 0 };
  if (model.unitsLeft(account) === 0) {
    const endMs = monthEndMs(model.nowMs);
    const quota = { limit: quotaUnits, remaining: 0, reset_at: rfc3339(endMs) };
    const retryAfterSeconds = secondsUntil(endMs, model.nowMs);
    const result = { ...EXHAUSTED, quota, retryAfterSeconds };
    return { result, quotaState: quotaState(), units: 0 };
  }
  account.charges.push({ atMs: model.nowMs, keyNumber });
  const pair = model.pairs.get(asked);
  const result =
    pair === undefined ? unsupported(model, asked) : pair.isSuspended ? SUSPENDED : pair;
  return { result, quotaState: quotaState(), units: 1 };
}

const BAD_SYMBOLS = {
  status: 400,
  code: "invalid_asset_symbol",
  message: "Asset symbol format is invalid.",
} as const;

const EXHAUSTED = {
  status: 429,
  code: "quota_exceeded",
  message: "Request-unit quota exceeded for the current billing period.",
} as const;

const inverses: Partial<Record<PairName, PairName>> = {
  "EUR/USD": "USD/EUR",
  "USD/EUR": "EUR/USD",
};

/** The message names the other direction where a read of it would get a rate. */
function unsupported(model: Model, asked: PairName) {
  const inverse = inverses[asked];
  const other = inverse && model.pairs.get(inverse);
  const message =
    other === undefined || other.isSuspended
      ? /^The requested currency pair is not currently supported\. The supported pairs cost nothing/
      : /^The requested currency pair is not currently supported\. \S+ exists; Kurs does not invert/;
  return { status: 404, code: "unsupported_pair", message } as const;
}

const SUSPENDED = {
  status: 503,
  code: "temporarily_unavailable",
  message: "The service is temporarily unable to serve this rate. Please retry.",
  retryAfterSeconds: 3600,
} as const;

/** The Rate resource of a pair. */
export function rateBody({ base, quote }: { base: string; quote: string }, served: PairState) {
  const { rate, asOfMs } = served;
  return { base, quote, rate, as_of: asOfText(asOfMs), type: "direct" };
}

/** Asserts that a response has the RateLimit headers that its key may see. */
export function assertQuotaState({ headers }: Answer, model: Model, quotaState?: QuotaState): void {
  const policy = headers["ratelimit-policy"];
  if (quotaState === undefined) {
    assert.deepEqual([policy, headers.ratelimit], [undefined, undefined]);
    return;
  }
  const { quotaUnits, left } = quotaState;
  const endMs = monthEndMs(model.nowMs);
  const periodSeconds = (endMs - monthStartMs(model.nowMs)) / SECOND_MS;
  assert.equal(policy, `"units";q=${quotaUnits};w=${periodSeconds}`);
  assert.equal(headers.ratelimit, `"units";r=${left};t=${secondsUntil(endMs, model.nowMs)}`);
}
