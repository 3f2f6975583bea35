import {
  type Decimal,
  isLess,
  multiply,
  percentAbove,
  ratioExceeds,
} from "../../../platform/shared/decimal.ts";
import { type AssetSymbol, inverseOf, type Pair, pairName } from "./symbol.ts";
import type { SourcedRate } from "./update-policy.ts";

/** A publisher's figure that a new one is compared with. */
export interface OtherFigure extends Pair {
  readonly rate: Decimal;
  readonly source: string;
  /** The publisher's own date. */
  readonly date: string;
  /** The SHA-256 of the document that states it, if the history has it. */
  readonly document: string | null;
}

/** How a figure differs from what another publisher states for the same date. */
export interface Disagreement {
  /** By how much the greater of the two exceeds the other one. */
  readonly percent: Decimal;
  /** One of the pair or of its inverse, or two with a common currency. */
  readonly figures: readonly OtherFigure[];
}

/** A rate to hold; without a disagreement for its jump alone. */
export interface RateToHold extends SourcedRate {
  readonly disagreement?: Disagreement | undefined;
}

/** Two bound the work for each figure, and few publishers have every pair of a third one. */
const commonCurrencies = ["EUR", "USD"] as readonly string[] as readonly AssetSymbol[];

const PERCENT_PLACES = 2;

/** The ways from a pair's base to its quote: directly, else by a common currency. */
export function pathsOf({ base, quote }: Pair): Pair[][] {
  const others = commonCurrencies.filter((common) => common !== base && common !== quote);
  return [
    [{ base, quote }],
    ...others.map((common) => [
      { base, quote: common },
      { base: common, quote },
    ]),
  ];
}

/**
 * Compares a rate with the figures that a publisher states for its date, by the names of their
 * pairs. Exact: nothing is divided or rounded before the comparison.
 *
 * @returns how they differ, if by more than a fraction of the lower one.
 */
export function findDisagreement(
  rate: SourcedRate,
  stated: ReadonlyMap<string, OtherFigure>,
  fraction: Decimal,
): Disagreement | undefined {
  for (const path of pathsOf(rate)) {
    let [own, other] = [rate.rate, "1" as Decimal];
    const figures = path.flatMap((step) => {
      const direct = stated.get(pairName(step));
      const inverse = stated.get(pairName(inverseOf(step)));
      if (direct !== undefined) other = multiply(other, direct.rate);
      else if (inverse !== undefined) own = multiply(own, inverse.rate);
      return direct ?? inverse ?? [];
    });
    if (figures.length < path.length) continue;
    const [low, high] = isLess(own, other) ? [own, other] : [other, own];
    if (!ratioExceeds(low, high, fraction)) return undefined;
    return { percent: percentAbove(low, high, PERCENT_PLACES), figures };
  }
  return undefined;
}

/** "differs from ecb by 12.00 %" */
export function describeDisagreement({ percent, figures }: Disagreement): string {
  return `differs from ${figures[0]?.source} by ${percent} %`;
}
