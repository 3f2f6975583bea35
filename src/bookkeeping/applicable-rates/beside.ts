import type { Series, SeriesReads, StoredFigure } from "../../rates/series/store.ts";
import { parseSymbol } from "../../rates/served/rules/symbol.ts";
import { type Dates, daysAfter } from "./rules.ts";

/** A time in which a source left a pair out of what it published. */
export interface Suspension {
  /** The date of the pair's last figure before; undefined without one. */
  readonly since: string | undefined;
  /** A figure of another pair in that time. */
  readonly other: StoredFigure;
  /** The date of the pair's first figure after it; undefined without one. */
  readonly next: string | undefined;
}

/** Nearly every table has one of these: with a figure of one of them, a document was published. */
export const COMMON = ["USD", "EUR", "GBP", "JPY", "CHF"].flatMap(
  (symbol) => parseSymbol(symbol) ?? [],
);

/**
 * Finds a figure of another pair within some dates of which a series has none, if a document that
 * states the series states that pair, too: NBP's table A tells nothing of those in its table B.
 */
export async function findBeside(
  reads: SeriesReads,
  series: Series,
  { from, to }: Dates,
): Promise<Suspension | undefined> {
  if (from > to) return undefined;
  const before = await reads.figureOnOrBefore(series, daysAfter(from, -1));
  const after = await reads.figureOnOrAfter(series, daysAfter(to, 1));
  const neighbor = before ?? after;
  if (neighbor === undefined) return undefined;
  const { base, quote } = series;
  const others = COMMON.flatMap((symbol) => [
    { ...series, quote: symbol },
    { ...series, base: symbol },
  ]).filter((one) => one.base !== one.quote && (one.base !== base || one.quote !== quote));
  for (const one of others) {
    const beside = await reads.figureOnOrBefore(one, neighbor.date);
    if (beside?.date !== neighbor.date || !isOfOneDocument(beside, neighbor)) continue;
    const other = await reads.figureOnOrAfter(one, from);
    if (other === undefined || other.date > to) continue;
    return { since: before?.date, other, next: after?.date };
  }
  return undefined;
}

const isOfOneDocument = (one: StoredFigure, other: StoredFigure) =>
  one.publication === other.publication && one.place === other.place;
