import type { CoveredPair } from "./api/rates.ts";

/** The currencies that most readers look for, in this order before all others. */
const majors = ["EUR", "USD", "GBP", "JPY", "CHF", "CNY", "CAD", "AUD"];

function rankOf(symbol: string): number {
  const index = majors.indexOf(symbol);
  return index === -1 ? majors.length : index;
}

/** Sorts pairs: major bases first, within a base major quotes; others keep their order. */
export function majorsFirst(pairs: readonly CoveredPair[]): readonly CoveredPair[] {
  return pairs.toSorted(
    (one, other) => rankOf(one.base) - rankOf(other.base) || compareQuotes(one, other),
  );
}

function compareQuotes(one: CoveredPair, other: CoveredPair): number {
  return one.base === other.base ? rankOf(one.quote) - rankOf(other.quote) : 0;
}
