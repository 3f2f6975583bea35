import { isLess } from "../../../platform/shared/decimal.ts";
import type { Origin } from "../../../platform/shared/origin.ts";
import type { Publication } from "../history.ts";
import type { ContradictionStore } from "../store.ts";
import { pairName } from "./symbol.ts";
import type { SourcedRate } from "./update-policy.ts";

/** Names the place of a figure in the series of its source. */
export function placeOf(rate: SourcedRate): string {
  const { kind = "middle", asOf, date = asOf.slice(0, 10) } = rate;
  return `${pairName(rate)} ${kind} ${date} ${asOf}`;
}

/**
 * Separates the figures that one document states with one value, each once, from those that it
 * states with several: nothing tells which of these is right.
 */
export function findContradictions<Stated extends SourcedRate>(figures: readonly Stated[]) {
  const agreed = new Map<string, Stated>();
  const repeated = new Map<string, Stated[]>();
  for (const figure of figures) {
    const place = placeOf(figure);
    const first = agreed.get(place);
    if (first === undefined) agreed.set(place, figure);
    else repeated.getOrInsertComputed(place, () => [first]).push(figure);
  }
  const contradictions: Stated[] = [];
  for (const [place, [first, ...others]] of repeated) {
    if (first === undefined || !others.some((other) => differ(first, other))) continue;
    contradictions.push(first, ...others);
    agreed.delete(place);
  }
  return { agreed: [...agreed.values()], contradictions };
}

/** 1.1 does not differ from 1.10. */
const differ = ({ rate: one }: SourcedRate, { rate: other }: SourcedRate) =>
  isLess(one, other) || isLess(other, one);

/** Holds the contradictions of a document. @returns the figures that may be stored. */
export async function holdContradictions<Stated extends SourcedRate>(
  store: Pick<ContradictionStore, "hold">,
  figures: readonly Stated[],
  publication: Publication | number,
  origin: Origin,
) {
  const { agreed, contradictions } = findContradictions(figures);
  if (contradictions.length === 0) return { figures: agreed, publication, held: [], dropped: [] };
  const { outcomes, publication: id } = await store.hold(contradictions, publication, origin);
  const those = (wanted: (typeof outcomes)[number]) =>
    contradictions.filter((_, index) => outcomes[index] === wanted);
  const stored = [...agreed, ...those("released")];
  return { figures: stored, publication: id, held: those("held"), dropped: those("dropped") };
}
