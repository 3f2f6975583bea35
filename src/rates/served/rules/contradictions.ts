import { chunksOf } from "../../../platform/shared/chunks.ts";
import { isEqual } from "../../../platform/shared/decimal.ts";
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
    if (first === undefined || others.every(({ rate }) => isEqual(first.rate, rate))) continue;
    contradictions.push(first, ...others);
    agreed.delete(place);
  }
  return { agreed: [...agreed.values()], contradictions };
}

/** In one transaction: a file of dates alone may contradict itself in every line. */
const FIGURES_PER_TRANSACTION = 100;

/** Holds the contradictions of a document. @returns the figures that may be stored. */
export async function holdContradictions<Stated extends SourcedRate>(
  store: Pick<ContradictionStore, "hold">,
  stated: readonly Stated[],
  first: Publication | number,
  origin: Origin,
) {
  const { agreed, contradictions } = findContradictions(stated);
  const sorted = { held: [] as Stated[], released: [] as Stated[], dropped: [] as Stated[] };
  let publication = first;
  for (const some of chunksOf(contradictions, FIGURES_PER_TRANSACTION)) {
    const held = await store.hold(some, publication, origin);
    publication = held.publication;
    for (const [index, one] of some.entries()) sorted[held.outcomes[index] ?? "held"].push(one);
  }
  return { ...sorted, figures: [...agreed, ...sorted.released], publication };
}
