import { percentAbove, subtract } from "../../platform/shared/decimal.ts";
import type { Comparison } from "./compare.ts";
import type { StoredFigure } from "./store.ts";

// The JSON that the commands on series print.

/** With the members of a line of NDJSON, so that `kurs rates import` reads it. */
export function figureJson(figure: StoredFigure) {
  const { base, quote, rate, asOf, source, storedAt, hash } = figure;
  const { kind, date, validUntil, revision } = figure;
  return {
    base,
    quote,
    rate,
    as_of: asOf,
    source,
    kind,
    date,
    valid_until: validUntil ?? null,
    revision,
    stored_at: storedAt,
    document: hash ?? null,
  };
}

/** Decimal places of a difference in percent. */
const PERCENT_PLACES = 4;

/** How far the highest figure is above the lowest: exactly, and in percent of the lowest. */
export function differenceOf({ lowest, highest }: Comparison) {
  return {
    difference: subtract(highest.rate, lowest.rate),
    percent: percentAbove(lowest.rate, highest.rate, PERCENT_PLACES),
  };
}

export function comparisonJson(comparison: Comparison) {
  const { base, quote, date, figures, lowest, highest } = comparison;
  return {
    base,
    quote,
    date,
    lowest: lowest.source,
    highest: highest.source,
    ...differenceOf(comparison),
    figures: figures.map(({ source, rate, asOf, revision, hash }) => {
      return { source, rate, as_of: asOf, revision, document: hash ?? null };
    }),
  };
}
