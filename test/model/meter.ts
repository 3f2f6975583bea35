import assert from "node:assert/strict";
import type { Answer } from "../support/client.ts";
import { monthEndMs, monthStartMs, rfc3339, SECOND_MS, secondsUntil } from "./calendar.ts";
import { type ExpectedFailure, keyRequired } from "./expected.ts";
import type { Model } from "./model.ts";
import type { PairName, Person } from "./names.ts";
import { asOfText, type PairFigure } from "./pair-state.ts";

/** What a read requests: a pair of the story, or invalid symbols. */
export type Asked = PairName | "bad symbols";

/** The state of the quota in the response to a key. */
export interface QuotaState {
  readonly quotaUnits: number;
  readonly left: number;
}

export interface ExpectedRead {
  /** The figure that is served, or the failure. */
  readonly result: PairFigure | ExpectedFailure;
  /** Only responses to a valid key contain it. */
  readonly quotaState: QuotaState | undefined;
  readonly units: 0 | 1;
}

/**
 * One read, in the order of the specification (section 4), charged to the model.
 *
 * @param atMs the past time that it asks for, in whole seconds; undefined for the newest rate.
 */
export function readInModel(
  model: Model,
  person: Person,
  keyNumber: number,
  asked: Asked,
  atMs?: number,
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
  const served = atMs === undefined ? pair : figureAt(model, asked, atMs);
  const result =
    pair === undefined ? unsupported(model, asked) : pair.isSuspended ? SUSPENDED : served;
  return { result: result ?? TOO_EARLY, quotaState: quotaState(), units: 1 };
}

const figureAt = (model: Model, asked: PairName, atMs: number) =>
  model.figures.get(asked)?.findLast(({ asOfMs }) => asOfMs <= atMs);

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

/** The link names the other direction where a read of it would get a rate. */
function unsupported(model: Model, asked: PairName) {
  const inverse = inverses[asked];
  const other = inverse && model.pairs.get(inverse);
  const help =
    other === undefined || other.isSuspended
      ? /title="The supported pairs are listed/
      : /title="\S+ exists; Kurs does not invert"/;
  return { ...UNSUPPORTED, help } as const;
}

const UNSUPPORTED = {
  status: 404,
  code: "unsupported_pair",
  message: "The requested currency pair is not currently supported.",
} as const;

const TOO_EARLY = { ...UNSUPPORTED, help: /title="\S+ has no figure of that time or before it"/ };

const SUSPENDED = {
  status: 503,
  code: "temporarily_unavailable",
  message: "The service is temporarily unable to serve this rate. Please retry.",
  retryAfterSeconds: 3600,
} as const;

/** The Rate resource of a pair. */
export function rateBody({ base, quote }: { base: string; quote: string }, served: PairFigure) {
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
