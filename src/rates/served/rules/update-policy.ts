import { type Decimal, ratioExceeds } from "../../../platform/shared/decimal.ts";
import { type EndedCurrency, endOf } from "./ended-currencies.ts";
import type { DocumentPosition, Rate, SeriesPlace } from "./rate.ts";

/** A rate with its source, a publisher's key or that of an import, and its place there. */
export interface SourcedRate extends Rate, DocumentPosition, SeriesPlace {
  readonly source: string;
}

/** The settings that decide whether a rate replaces the stored one. */
export interface RateSettings {
  /** The keys of the sources that are switched on, in order of precedence. */
  readonly rateSources: readonly string[];
  /** A change by more than this fraction of the stored rate is held for the operator. */
  readonly maxRateJump: Decimal;
  /** So is a difference by more than this from another publisher's figure. Unset: not compared. */
  readonly maxDisagreement?: Decimal | undefined;
}

/**
 * What to do with a rate that is valid by itself: whether it is served from now on. Its figure goes
 * to its series in any case.
 */
export type UpdateDecision =
  | "store"
  | "unchanged"
  | "hold"
  /** One of its currencies had ended by its date. */
  | "ended"
  /** Than the stored one, which stays. */
  | "older"
  /** Another source owns the pair. */
  | "foreign";

/** Decides on a rate by comparing it with the one that it would replace. */
export type UpdatePolicy = (current: SourcedRate | undefined, next: SourcedRate) => UpdateDecision;

/** Creates the policy. Each reason is a predicate of its own, checked in this order. */
export function createUpdatePolicy({ rateSources, maxRateJump }: RateSettings): UpdatePolicy {
  return (current, next) => {
    if (endOfRate(next) !== undefined) return "ended";
    if (current === undefined) return "store";
    if (isForeign(current, next, rateSources)) return "foreign";
    if (isOlder(current, next)) return "older";
    if (isSame(current, next)) return "unchanged";
    return jumps(current, next, maxRateJump) ? "hold" : "store";
  };
}

/** @returns the end of one of a rate's currencies on or before the rate's date. */
export const endOfRate = (rate: SourcedRate): EndedCurrency | undefined =>
  endOf(rate, rate.date ?? rate.asOf.slice(0, 10));

/**
 * A pair changes its owner only when the owner is switched off. An operator's import may replace
 * any rate, and the next rate that a source publishes replaces an import. See
 * docs/decisions/0004-first-source-owns-a-pair.md.
 */
function isForeign(
  current: SourcedRate,
  next: SourcedRate,
  rateSources: readonly string[],
): boolean {
  const isOwn = current.source === next.source;
  return !isOwn && rateSources.includes(current.source) && !isImport(next.source);
}

/** The source of a rate that an operator imported, unless the import named a series of its own. */
export const IMPORT_SOURCE = "import";

/** @returns the source of imports into a series of their own: a token of RFC 9651. */
export function importSource(series: string): string {
  return series === IMPORT_SOURCE ? series : `${IMPORT_SOURCE}:${series}`;
}

/** Whether a rate of this source was imported by an operator. */
export function isImport(source: string): boolean {
  return source === IMPORT_SOURCE || source.startsWith(`${IMPORT_SOURCE}:`);
}

/** A rate never replaces a newer one; one of the same time corrects it. */
function isOlder(current: SourcedRate, next: SourcedRate): boolean {
  return next.asOf < current.asOf;
}

function isSame(current: SourcedRate, next: SourcedRate): boolean {
  return next.asOf === current.asOf && next.rate === current.rate && next.source === current.source;
}

/** With a greatest jump of 0.5: to under half or over 1.5 times the stored rate. */
function jumps(current: SourcedRate, next: SourcedRate, maxRateJump: Decimal): boolean {
  return ratioExceeds(current.rate, next.rate, maxRateJump);
}
