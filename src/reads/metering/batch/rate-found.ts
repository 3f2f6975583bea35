import type { ServedRate } from "../../../rates/served/rules/rate.ts";
import { inverseOf, type Pair } from "../../../rates/served/rules/symbol.ts";
import type { RateFound } from "../store.ts";

/**
 * @param find returns undefined for a pair that is not stored. It searches for the other direction
 *   only then: a read of a stored pair does not wait for it.
 */
export function rateFound(pair: Pair, find: (pair: Pair) => RateFound | undefined): RateFound {
  const found = find(pair);
  if (found !== undefined) return found;
  const inverse = find(inverseOf(pair));
  return isServed(inverse) ? "only_inverse" : "unsupported";
}

/** Whether a search found the rate that is served. */
export function isServed(found: RateFound | undefined): found is ServedRate {
  return typeof found === "object" && "headers" in found;
}
