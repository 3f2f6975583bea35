import { type Decimal, ratioExceeds } from "../../platform/shared/decimal.ts";
import { endOfRate, type SourcedRate } from "../served/rules/update-policy.ts";

/** Later than every date: a series' figure on or before it is its newest. */
export const NEWEST = "~";

/**
 * What giving a pair to a source does with its newest figure; nothing where the source has the pair
 * already, or where the figure is older than the served rate, which never goes back in time.
 */
export type OwnerDecision = "serve" | "hold" | "owned" | "older" | "ended";

/** Decides on the newest figure of the source that is to own a pair. */
export function decideOwner(
  served: SourcedRate | undefined,
  figure: SourcedRate,
  maxRateJump: Decimal,
): OwnerDecision {
  if (endOfRate(figure) !== undefined) return "ended";
  if (served === undefined) return "serve";
  if (served.source === figure.source) return "owned";
  if (figure.asOf < served.asOf) return "older";
  return ratioExceeds(served.rate, figure.rate, maxRateJump) ? "hold" : "serve";
}
