import { type Decimal, ratioExceeds } from "../../shared/decimal.ts";
import type { Rate, Rejection } from "./rate.ts";

/** A rate with who published it: a source's key, or `import`. */
export interface SourcedRate extends Rate {
  readonly source: string;
}

/** The operator's rules for one rate to follow another. */
export interface SuccessionRules {
  /** The sources that are switched on. */
  readonly activeSources: readonly string[];
  /** A change by more than this part of the stored rate is held for the operator. */
  readonly maxJump: Decimal;
}

/** What is to be done with a rate that was judged by itself already. */
export type UpdateDecision = "store" | "unchanged" | "hold" | Rejection;

/** Judges a rate by the one that it would replace. */
export type UpdatePolicy = (standing: SourcedRate | undefined, next: SourcedRate) => UpdateDecision;

/** Makes the judge of successions. Each reason is a predicate of its own, asked in this order. */
export function createUpdatePolicy({ activeSources, maxJump }: SuccessionRules): UpdatePolicy {
  return (standing, next) => {
    if (standing === undefined) return "store";
    if (isForeign(standing, next, activeSources)) {
      return { reason: `${pairName(next)} is published by ${standing.source}` };
    }
    if (isOlder(standing, next)) {
      return { reason: `${pairName(next)} is stored as of ${standing.asOf}, which is newer` };
    }
    if (isSame(standing, next)) return "unchanged";
    return jumps(standing, next, maxJump) ? "hold" : "store";
  };
}

/**
 * A pair changes hands only when its owner is switched off. An operator's import may replace any
 * rate, and its own is replaced by the next that a source publishes.
 */
function isForeign(
  standing: SourcedRate,
  next: SourcedRate,
  activeSources: readonly string[],
): boolean {
  const isOwn = standing.source === next.source;
  return !isOwn && activeSources.includes(standing.source) && next.source !== IMPORT_SOURCE;
}

/** The source of a rate that an operator imported. */
export const IMPORT_SOURCE = "import";

/** A stored rate never goes back in time; one of the same time corrects it. */
function isOlder(standing: SourcedRate, next: SourcedRate): boolean {
  return next.asOf < standing.asOf;
}

function isSame(standing: SourcedRate, next: SourcedRate): boolean {
  return (
    next.asOf === standing.asOf && next.rate === standing.rate && next.source === standing.source
  );
}

/** To under half or over 1.5 times the last, where the greatest jump is 0.5. */
function jumps(standing: SourcedRate, next: SourcedRate, maxJump: Decimal): boolean {
  return ratioExceeds(standing.rate, next.rate, maxJump);
}

function pairName({ base, quote }: Rate): string {
  return `${base}/${quote}`;
}
