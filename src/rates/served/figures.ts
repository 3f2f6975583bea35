import type { Publication } from "./history.ts";
import type { FigureKind } from "./rules/rate.ts";
import type { SourcedRate } from "./rules/update-policy.ts";

export type { FigureKind } from "./rules/rate.ts";

/**
 * A publisher's figure for a pair and a date. It belongs to the series of its source, pair and
 * kind, whoever owns the pair.
 */
export interface Figure extends SourcedRate {
  /** The publisher's own date, such as 2026-03-13: not the UTC day of `asOf`. */
  readonly date: string;
  readonly kind: FigureKind;
  /** The last date of its validity, for a table that is valid for a period. */
  readonly validUntil: string | undefined;
}

/** @returns a rate as its series has it. */
export function figureOf(rate: SourcedRate): Figure {
  const { base, quote, asOf, source, place, line, validUntil } = rate;
  const { date = asOf.slice(0, 10), kind = "middle" } = rate;
  return { base, quote, rate: rate.rate, asOf, source, place, line, date, kind, validUntil };
}

interface AddedFigures {
  /** For each figure whether its series did not have it. An amended one is new. */
  readonly isNew: readonly boolean[];
  /** The publication's id. */
  readonly publication: number;
}

export interface FigureStore {
  /**
   * Adds figures to their series, in one transaction, and changes nothing of what is served. A
   * figure that equals the last revision of its date is left out; another one is its next revision.
   *
   * @param publication what brought the figures, or the id of one that is stored already.
   * @param now RFC 3339 in UTC.
   */
  addFigures(
    figures: readonly Figure[],
    publication: Publication | number,
    now: string,
  ): Promise<AddedFigures>;
}
