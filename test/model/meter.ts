import assert from "node:assert/strict";
import type { Answer } from "../support/client.ts";
import {
  DAY_MS,
  monthEndMs,
  monthStartMs,
  nextDayMs,
  rfc3339,
  SECOND_MS,
  secondsUntil,
} from "./calendar.ts";
import { type ExpectedFailure, keyRequired } from "./expected.ts";
import { type AccountState, endedMs, type KeyState, type Model } from "./model.ts";
import type { PairName, Person } from "./names.ts";
import { asOfText, type PairFigure } from "./pair-state.ts";

/** What a read requests: a pair of the story, or invalid symbols. */
export type Asked = PairName | "bad symbols";

/** The state of the quota in the response to a key. */
export interface QuotaState {
  readonly quotaUnits: number;
  readonly left: number;
  /** The key's caps, the month's first. */
  readonly caps: readonly CapState[];
}

interface CapState {
  readonly span: "period" | "day";
  readonly units: number;
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
  const { nowMs } = model;
  const key = model.key(person, keyNumber);
  if (key === undefined || endedMs(key, nowMs) !== undefined) {
    return { result: keyRequired, quotaState: undefined, units: 0 };
  }
  const account = model.account(person);
  const quotaState = (): QuotaState => ({
    quotaUnits: model.quotaUnits(account),
    left: model.unitsLeft(account),
    caps: capsOf(account, key, nowMs),
  });
  const free = (result: ExpectedFailure): ExpectedRead => {
    return { result, quotaState: quotaState(), units: 0 };
  };
  if (asked === "bad symbols") return free(BAD_SYMBOLS);
  const isOfPlan =
    account.usedUnits(nowMs) - account.grantedUnits(nowMs) < model.planUnits(account);
  const grant = isOfPlan ? undefined : account.nextGrant(nowMs);
  if (!isOfPlan && grant === undefined) {
    return free(exhausted(EXHAUSTED, model.quotaUnits(account), monthEndMs(nowMs), nowMs));
  }
  const cap = quotaState().caps.find(({ left }) => left === 0);
  if (cap !== undefined) {
    return free(exhausted(KEY_EXHAUSTED[cap.span], cap.units, capEndMs(cap, nowMs), nowMs));
  }
  account.charges.push({ atMs: nowMs, keyNumber, grantNumber: grant?.number });
  const pair = model.pairs.get(asked);
  const served = atMs === undefined ? pair : figureAt(model, asked, atMs);
  const result =
    pair === undefined ? unsupported(model, asked) : pair.isSuspended ? SUSPENDED : served;
  return { result: result ?? TOO_EARLY, quotaState: quotaState(), units: 1 };
}

function capsOf(account: AccountState, { line, limits }: KeyState, nowMs: number): CapState[] {
  const used = account.unitsOfLine(line, nowMs);
  const caps = [
    { span: "period", units: limits.perPeriod },
    { span: "day", units: limits.perDay },
  ] as const;
  return caps.flatMap(({ span, units }) =>
    units === null ? [] : [{ span, units, left: Math.max(units - used[span], 0) }],
  );
}

const capEndMs = ({ span }: CapState, nowMs: number) =>
  span === "day" ? nextDayMs(nowMs) : monthEndMs(nowMs);

function exhausted(failure: ExpectedFailure, limit: number, endMs: number, nowMs: number) {
  const quota = { limit, remaining: 0, reset_at: rfc3339(endMs) };
  return { ...failure, quota, retryAfterSeconds: secondsUntil(endMs, nowMs) };
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

const KEY_EXHAUSTED = {
  period: { ...EXHAUSTED, message: /^This API key's limit .* billing period is used up\.$/ },
  day: { ...EXHAUSTED, message: /^This API key's limit .* UTC day is used up\.$/ },
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
  const { nowMs } = model;
  const { quotaUnits, left, caps } = quotaState;
  const endMs = monthEndMs(nowMs);
  const monthSeconds = (endMs - monthStartMs(nowMs)) / SECOND_MS;
  const policies = [`"units";q=${quotaUnits};w=${monthSeconds}`];
  const states = [`"units";r=${left};t=${secondsUntil(endMs, nowMs)}`];
  for (const cap of caps) {
    const seconds = cap.span === "day" ? DAY_MS / SECOND_MS : monthSeconds;
    policies.push(`"key-${cap.span}";q=${cap.units};w=${seconds}`);
    const reset = secondsUntil(capEndMs(cap, nowMs), nowMs);
    states.push(`"key-${cap.span}";r=${cap.left};t=${reset}`);
  }
  assert.deepEqual([policy, headers.ratelimit], [policies.join(", "), states.join(", ")]);
}
