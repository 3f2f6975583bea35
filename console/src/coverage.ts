import { effect } from "@preact/signals";
import { type CoveredPair, type CoveredSource, listPairs, type PairsBody } from "./api.ts";
import { session } from "./session.ts";

/** A symbol to choose, and its name. */
export interface Choice {
  readonly symbol: string;
  readonly name: string | null;
}

/** What exists, indexed for the pages that search it. */
export interface Coverage {
  readonly sources: ReadonlyMap<string, CoveredSource>;
  readonly pairs: readonly CoveredPair[];
  /** By `EUR/USD`. */
  readonly pairOf: ReadonlyMap<string, CoveredPair>;
  readonly bases: readonly Choice[];
  readonly quotes: readonly Choice[];
  /** The quotes that a base has, by its symbol. */
  readonly quotesOf: ReadonlyMap<string, readonly Choice[]>;
}

/** `EUR/USD` */
export function nameOf({ base, quote }: { readonly base: string; readonly quote: string }): string {
  return `${base}/${quote}`;
}

interface Kept {
  readonly etag: string | undefined;
  readonly coverage: Coverage;
}

/** The last list, only in memory: the next request asks whether something has changed since. */
let kept: Kept | undefined;

effect(() => {
  if (session.value === undefined) kept = undefined;
});

/** Loads what exists. The same list is the same object. */
export async function loadCoverage(): Promise<Coverage> {
  const known = kept;
  const list = await listPairs(known?.etag);
  if (list === undefined && known !== undefined) return known.coverage;
  if (list === undefined) return indexed({ sources: [], pairs: [] });
  kept = { etag: list.etag, coverage: indexed(list.body) };
  return kept.coverage;
}

function indexed({ sources, pairs }: PairsBody): Coverage {
  const bases = new Map<string, Choice>();
  const quotes = new Map<string, Choice>();
  const quotesOf = new Map<string, Choice[]>();
  for (const { base, quote, base_name, quote_name } of pairs) {
    if (!bases.has(base)) bases.set(base, { symbol: base, name: base_name });
    const choice = quotes.get(quote) ?? { symbol: quote, name: quote_name };
    quotes.set(quote, choice);
    const ofBase = quotesOf.get(base);
    if (ofBase === undefined) quotesOf.set(base, [choice]);
    else ofBase.push(choice);
  }
  return {
    sources: new Map(sources.map((source) => [source.key, source])),
    pairs,
    pairOf: new Map(pairs.map((pair) => [nameOf(pair), pair])),
    bases: [...bases.values()],
    quotes: [...quotes.values()].toSorted((one, other) => (one.symbol < other.symbol ? -1 : 1)),
    quotesOf,
  };
}
