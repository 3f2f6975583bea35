import type { Decimal } from "../../platform/shared/decimal.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import type { Figure, FigureKind } from "../served/figures.ts";
import type { HeadersOf } from "../served/headers.ts";
import type { Disagreement } from "../served/rules/disagreement.ts";
import type { Pair } from "../served/rules/symbol.ts";
import type { SourcedRate } from "../served/rules/update-policy.ts";
import type { OwnerDecision } from "./rules.ts";

/** A figure as its series has it. Times are RFC 3339 in UTC. */
export interface StoredFigure extends Figure {
  /** From 1 for each date: a publisher may amend a figure. The last one counts. */
  readonly revision: number;
  readonly storedAt: string;
  /** The id of the publication that brought it. */
  readonly publication: number;
  /** SHA-256 of the document that states it; undefined if unknown. */
  readonly hash: string | undefined;
}

/** The figures of one kind that a source has published of a pair. */
export interface Series extends Pair {
  readonly source: string;
  readonly kind: FigureKind;
}

/** A figure that its document contradicts, or a jump that was dropped: it is not in its series. */
export interface ContradictedFigure
  extends Pick<StoredFigure, "date" | "rate" | "validUntil" | "hash"> {
  /** Held, or what the operator, or a later document, has decided. */
  readonly decision: "held" | "released" | "dropped";
}

/** A place in a series. */
export type FigureCursor = Pick<StoredFigure, "date" | "revision"> & { readonly asOf: string };

/** A place among all figures, ordered by pair, source and kind, and then as in a series. */
export interface FigurePlace extends FigureCursor, PairCursor {
  readonly source: string;
  readonly kind: string;
}

/** A place in the list of pairs. */
export interface PairCursor {
  readonly base: string;
  readonly quote: string;
}

/** Dates such as 2026-03-13, both included. */
export interface DateRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** A figure whose document cannot be the one that states it. */
export interface SuspectFigure {
  readonly figure: StoredFigure;
  /** The source of its publication; undefined if that is missing. */
  readonly publisher: string | undefined;
  /** Whether its publication has the document that it refers to. */
  readonly hasDocument: boolean;
}

/** Reads the series of all sources. */
export interface SeriesReads {
  /** The series of a pair, ordered by source and kind. */
  seriesOf(pair: Pair): Promise<Series[]>;
  /** A page of a series after a place, by date, time and revision. */
  figures(
    series: Series,
    query: DateRange & { readonly after: FigureCursor; readonly limit: number },
  ): Promise<StoredFigure[]>;
  /** The last revision of a series' last figure that is dated on or before a date. */
  figureOnOrBefore(series: Series, date: string): Promise<StoredFigure | undefined>;
  /** The last revision of a series' first figure that is dated on or after a date. */
  figureOnOrAfter(series: Series, date: string): Promise<StoredFigure | undefined>;
  /** The contradicted figures of a series of which none was released, by date and rate. */
  contradicted(series: Series): Promise<ContradictedFigure[]>;
  /** All contradicted figures of a date in a series, also the released ones, by time and rate. */
  contradictedOn(series: Series, date: string): Promise<ContradictedFigure[]>;
  /**
   * Why a figure is held: the served rate from which it jumped, or how it differs from another
   * publisher's; undefined for any other figure.
   */
  whyHeld(figure: StoredFigure): Promise<Decimal | Disagreement | undefined>;
  /** A page of the pairs that have a series, in their order; with a base only those with it. */
  pairs(after: PairCursor, limit: number, base?: string): Promise<Pair[]>;
  /** A page of the figures that a publication brought. */
  figuresOf(publication: number, after: FigurePlace, limit: number): Promise<StoredFigure[]>;
  /** How many figures a publication brought, without suspects. */
  countOf(publication: number): Promise<number>;
  /** A page of the suspect figures, of one source or of all. */
  suspects(after: FigurePlace, limit: number, source?: string): Promise<SuspectFigure[]>;
}

/** What became of giving a pair to a source. */
export type OwnerChange =
  /** The source has no figure in this series, or none that is valid yet. */
  | { readonly decision: "none" }
  | {
      readonly decision: OwnerDecision;
      /** The newest one of the series, but for a table that has not begun. */
      readonly figure: StoredFigure;
      /** What was served until then. */
      readonly former: SourcedRate | undefined;
    };

/** Changes which source a pair belongs to. */
export interface OwnerStore {
  /**
   * Serves the newest figure of a series in place of the pair's served rate, or holds it if it
   * jumps, in one transaction with its event. Any other decision changes nothing.
   */
  own(
    series: Series,
    how: {
      /** A change by more than this fraction of the served rate is held. */
      readonly maxRateJump: Decimal;
      readonly headersOf: HeadersOf;
      readonly origin: Origin;
    },
  ): Promise<OwnerChange>;
}
