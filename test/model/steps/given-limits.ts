import fc from "fast-check";
import { DAY_MS, HOUR_MS, monthEndMs, rfc3339 } from "../calendar.ts";
import type { KeyLimits, Model } from "../model.ts";

/** What an owner states of a key's end. */
type GivenEnd = null | { readonly days: number } | "an hour" | "the month" | "the past";

/** What an owner limits a key to. */
export interface GivenLimits {
  readonly end: GivenEnd;
  readonly perPeriod: number | null;
  readonly perDay: number | null;
}

const someEnd = fc.constantFrom<GivenEnd>(
  ...[null, null, { days: 1 }, { days: 10 }, { days: 31 }],
  ...(["an hour", "the month", "the past"] as const),
);

export const someLimits: fc.Arbitrary<GivenLimits> = fc.record({
  end: someEnd,
  perPeriod: fc.constantFrom(null, 1, 2, 3, 5, 7),
  perDay: fc.constantFrom(null, null, 1, 2, 3),
});

const endMs = ({ nowMs }: Model, end: GivenEnd, createdMs: number): number | undefined => {
  if (end === null) return undefined;
  if (typeof end === "object") return createdMs + end.days * DAY_MS;
  return { "an hour": nowMs + HOUR_MS, "the month": monthEndMs(nowMs), "the past": nowMs }[end];
};

export const endText = (endsMs: number | undefined) =>
  endsMs === undefined ? null : rfc3339(endsMs);

export function bodyOf(model: Model, { end, perPeriod, perDay }: GivenLimits) {
  const days = end !== null && typeof end === "object" ? `${end.days} days` : undefined;
  const expires_at = days ?? endText(endMs(model, end, model.nowMs));
  return { expires_at, units_per_period: perPeriod, units_per_day: perDay };
}

/** The limits that a key gets. @returns undefined for an end that is rejected. */
export function chosenLimits(
  model: Model,
  given: GivenLimits,
  createdMs: number,
  before?: KeyLimits,
): KeyLimits | undefined {
  const { end, perPeriod, perDay } = given;
  const endsMs = endMs(model, end, createdMs);
  const days = end !== null && typeof end === "object" ? end.days : undefined;
  const isSame = before !== undefined && endsMs === before.endsMs;
  if (isSame) return { endsMs, days: days ?? before.days, perPeriod, perDay };
  if (endsMs !== undefined && endsMs <= model.nowMs) return undefined;
  return { endsMs, days, perPeriod, perDay };
}

export const BAD_END = {
  status: 400,
  code: "invalid_request",
  message: /^expires_at must/,
} as const;
