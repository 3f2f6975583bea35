import type { Figure, FigureKind } from "../rates/figures.ts";
import type { Pair } from "../rates/rules/symbol.ts";

/** A figure as its series has it. Times are RFC 3339 in UTC. */
export interface StoredFigure extends Figure {
  /** From 1 for each date: a publisher may amend a figure. The last one counts. */
  readonly revision: number;
  readonly storedAt: string;
  /** Undefined for a rate that was stored before the history began. */
  readonly publication: number | undefined;
  /** SHA-256 of the document that states it; undefined if unknown. */
  readonly hash: string | undefined;
}

/** The figures of one kind that a source has published of a pair. */
export interface Series extends Pair {
  readonly source: string;
  readonly kind: FigureKind;
}

/** A place in a series, and where a series begins. */
export type FigureCursor = Pick<StoredFigure, "date" | "asOf" | "revision">;

/** Dates such as 2026-03-13, both included. */
export interface DateRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Reads the series of all sources. */
export interface SeriesReads {
  /** The newest figure of every series of a pair, ordered by source and kind. */
  newestFigures(pair: Pair): Promise<StoredFigure[]>;
  /** A page of a series after a place, by date, time and revision. */
  figures(
    series: Series,
    query: DateRange & { readonly after: FigureCursor | undefined; readonly limit: number },
  ): Promise<StoredFigure[]>;
  /** The last revision of a series' last figure that is dated on or before a date. */
  figureOnOrBefore(series: Series, date: string): Promise<StoredFigure | undefined>;
}
