import { effect } from "@preact/signals";
import { DAY_MS } from "../../src/platform/shared/clock.ts";
import {
  type CoveredPair,
  type CoveredSource,
  listPairs,
  listSources,
  type PairsPage,
  type Rate,
} from "./api/rates.ts";
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
  /** The names of all symbols. */
  readonly names: ReadonlyMap<string, string | null>;
  /** The quotes that a base has, by its symbol. */
  readonly quotesOf: ReadonlyMap<string, readonly Choice[]>;
}

/** `EUR/USD` */
export function nameOf({ base, quote }: { readonly base: string; readonly quote: string }): string {
  return `${base}/${quote}`;
}

/** Without a calendar that expects the next one, a rate of another week counts as late. */
const LATE_MS = 7 * DAY_MS;

/** Whether a newer figure of a rate should be there. */
export function isLate(rate: Rate, coverage: Pick<Coverage, "pairOf"> | undefined): boolean {
  const pair = coverage?.pairOf.get(nameOf(rate));
  if (pair?.missed_publication) return true;
  if (pair !== undefined && pair.next_publication !== null) return false;
  return Date.now() - Date.parse(rate.as_of) > LATE_MS;
}

interface Kept {
  readonly pages: readonly PairsPage[];
  readonly coverage: Coverage;
}

/** The last list, only in memory: the next requests ask whether a page has changed since. */
let kept: Kept | undefined;

effect(() => {
  if (session.value === undefined) kept = undefined;
});

/** @returns what was loaded last in this session, if anything. */
export function lastCoverage(): Coverage | undefined {
  return kept?.coverage;
}

/** Loads what exists, page after page. The same pairs are the same objects. */
export async function loadCoverage(): Promise<Coverage> {
  const known = kept;
  const [sources, pages] = await Promise.all([listSources(), loadPages(known?.pages ?? [])]);
  const byKey = new Map(sources.map((source) => [source.key, source]));
  const isSame =
    known?.pages.length === pages.length &&
    pages.every((page, index) => page === known.pages[index]);
  const coverage = isSame
    ? { ...known.coverage, sources: byKey }
    : { ...indexed(pages.flatMap(({ pairs }) => pairs)), sources: byKey };
  kept = { pages, coverage };
  return coverage;
}

async function loadPages(known: readonly PairsPage[]): Promise<readonly PairsPage[]> {
  const knownAfter = new Map(known.map((page, index) => [known[index - 1]?.next, page]));
  const pages: PairsPage[] = [];
  let after: string | undefined;
  do {
    const page = await listPairs(after, knownAfter.get(after));
    pages.push(page);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return pages;
}

function indexed(pairs: readonly CoveredPair[]): Omit<Coverage, "sources"> {
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
    pairs,
    pairOf: new Map(pairs.map((pair) => [nameOf(pair), pair])),
    bases: [...bases.values()],
    names: new Map(
      [...quotes.values(), ...bases.values()].map(({ symbol, name }) => [symbol, name]),
    ),
    quotes: [...quotes.values()].toSorted((one, other) => (one.symbol < other.symbol ? -1 : 1)),
    quotesOf,
  };
}
