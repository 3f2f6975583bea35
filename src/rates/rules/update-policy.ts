import { type Decimal, ratioExceeds } from "../../shared/decimal.ts";
import type { DocumentPosition, Rate, Rejection } from "./rate.ts";
import { pairName } from "./symbol.ts";

/** A rate with its origin: a source's key, or `import`, and the position in its publication. */
export interface SourcedRate extends Rate, DocumentPosition {
  readonly source: string;
}

/** The settings that decide whether a rate replaces the stored one. */
export interface RateSettings {
  /** The keys of the sources that are switched on, in order of precedence. */
  readonly rateSources: readonly string[];
  /** A change by more than this fraction of the stored rate is held for the operator. */
  readonly maxRateJump: Decimal;
}

/** What to do with a rate that is valid by itself. */
export type UpdateDecision = "store" | "unchanged" | "hold" | Rejection;

/** Decides on a rate by comparing it with the one that it would replace. */
export type UpdatePolicy = (current: SourcedRate | undefined, next: SourcedRate) => UpdateDecision;

/** Creates the policy. Each reason is a predicate of its own, checked in this order. */
export function createUpdatePolicy({ rateSources, maxRateJump }: RateSettings): UpdatePolicy {
  return (current, next) => {
    if (current === undefined) return "store";
    if (isForeign(current, next, rateSources)) {
      return { reason: `${pairName(next)} is published by ${current.source}` };
    }
    if (isOlder(current, next)) {
      return { reason: `${pairName(next)} is stored as of ${current.asOf}, which is newer` };
    }
    if (isSame(current, next)) return "unchanged";
    return jumps(current, next, maxRateJump) ? "hold" : "store";
  };
}

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
  return !isOwn && rateSources.includes(current.source) && next.source !== IMPORT_SOURCE;
}

/** The source of a rate that an operator imported. */
export const IMPORT_SOURCE = "import";

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
