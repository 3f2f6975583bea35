import { type Decimal, isLess, ratioExceeds } from "../../platform/shared/decimal.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import type { AssetSymbol, Pair } from "../served/rules/symbol.ts";
import { NEWEST } from "./rules.ts";
import type { PairCursor, SeriesReads, StoredFigure } from "./store.ts";

/** The middle figures that several sources have of a pair for the same date. */
export interface Comparison extends Pair {
  /** The newest date of which two sources may have a figure. */
  readonly date: string;
  /** Ordered by source. */
  readonly figures: readonly StoredFigure[];
  readonly lowest: StoredFigure;
  readonly highest: StoredFigure;
}

/** Which pairs to compare: all, those of a base, or one. */
export interface ComparedPairs {
  readonly base: AssetSymbol | undefined;
  readonly quote: AssetSymbol | undefined;
}

/**
 * Compares what sources have published of each pair. Their newest dates differ: one publishes at
 * noon, another one in the evening. So the date is the second newest of them.
 *
 * @returns the pairs of which at least two sources have a figure of that date, ordered by pair, in
 *   pages.
 */
export async function* compareSources(
  series: SeriesReads,
  compared: ComparedPairs,
): AsyncGenerator<readonly Comparison[], void> {
  for await (const pairs of pagesOfPairs(series, compared)) {
    const comparisons: Comparison[] = [];
    for (const pair of pairs) {
      const comparison = await comparePair(series, pair);
      if (comparison !== undefined) comparisons.push(comparison);
    }
    yield comparisons;
  }
}

/** Whether the figures differ by more than a fraction of the lowest. Exact. */
export function differsBy({ lowest, highest }: Comparison, fraction: Decimal): boolean {
  return ratioExceeds(lowest.rate, highest.rate, fraction);
}

async function* pagesOfPairs(
  series: SeriesReads,
  { base, quote }: ComparedPairs,
): AsyncGenerator<readonly Pair[], void> {
  if (base !== undefined && quote !== undefined) yield [{ base, quote }];
  else {
    const read = (after: PairCursor, limit: number) => series.pairs(after, limit, base);
    yield* pagesOf<Pair, PairCursor>({ base: "", quote: "" }, read, (pair) => pair);
  }
}

async function comparePair(series: SeriesReads, pair: Pair): Promise<Comparison | undefined> {
  const middle = (await series.seriesOf(pair)).filter(({ kind }) => kind === "middle");
  if (middle.length < 2) return undefined;
  const newest: StoredFigure[] = [];
  for (const one of middle) {
    const figure = await series.figureOnOrBefore(one, NEWEST);
    if (figure !== undefined) newest.push(figure);
  }
  const date = newest
    .map((figure) => figure.date)
    .sort()
    .at(-2);
  if (date === undefined) return undefined;
  const figures: StoredFigure[] = [];
  for (const one of newest) {
    const figure: StoredFigure | undefined =
      one.date > date ? await series.figureOnOrBefore(one, date) : one;
    if (figure?.date === date) figures.push(figure);
  }
  const [first, ...others] = figures;
  if (first === undefined || others.length === 0) return undefined;
  let [lowest, highest] = [first, first];
  for (const figure of others) {
    if (isLess(figure.rate, lowest.rate)) lowest = figure;
    if (isLess(highest.rate, figure.rate)) highest = figure;
  }
  return { base: pair.base, quote: pair.quote, date, figures, lowest, highest };
}
