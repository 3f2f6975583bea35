import type {
  ContradictedFigure,
  Series,
  SeriesReads,
  StoredFigure,
} from "../../rates/series/store.ts";
import type { RateSource } from "../../rates/sources/source.ts";
import type { StatedFigures } from "../provenance/document-reader.ts";
import type { Restore } from "../provenance/served-at.ts";
import type { KnownDates, RateRule } from "./rules.ts";

/** Which figure of a series is asked for. */
export interface AskedRate {
  readonly rule: RateRule;
  /** The date that is asked for, such as 2026-03-13. */
  readonly asked: string;
  /** The one that the rule counts from: a preset may name the last one of a period. */
  readonly date: string;
  /** How many dates that the publisher's calendar has, but the store has not, count as closed. */
  readonly mostGaps: number;
}

/** The figure that a rule names. */
export interface ApplicableRate extends AskedRate {
  readonly figure: StoredFigure;
  /** The dates without a stored figure that the calendar has and the operator took as closed. */
  readonly acceptedGaps: readonly string[];
  /** Dates that the calendar has, or may have, and of which only the document says otherwise. */
  readonly unprovenGaps: readonly string[];
  /** Whether the calendar of the source, or its document, tells which dates have no figure. */
  readonly isChecked: boolean;
}

/** What a search uses. */
export interface FindUses {
  readonly reads: SeriesReads;
  readonly series: Series;
  /** What the operator has to decide, or has dropped. */
  readonly contradicted: readonly ContradictedFigure[];
  /** Undefined for an import, and for a source that this version does not know. */
  readonly source: RateSource | undefined;
  /** The restores of the store: what was stored between a backup and its restore is lost. */
  readonly restores: readonly Restore[];
  /** HISTORY_DAYS: figures that were stored earlier may be removed. */
  readonly historyDays: number | undefined;
  readonly nowMs: number;
  /** What the publication of a figure states; undefined if that cannot be read. */
  readonly readStated: (figure: StoredFigure) => Promise<StatedFigures | undefined>;
}

/** A search in a series, whose calendar may be known. */
export interface Search extends FindUses, Pick<KnownDates, "publicationOf"> {}

/**
 * What the document with a stored figure states besides it. The store need not have all of that:
 * of an archive it may have some dates only, and HISTORY_DAYS removes figures.
 */
export async function readDocument({ readStated }: Search, figure: StoredFigure) {
  const stated = await readStated(figure);
  if (stated === undefined) return undefined;
  const series = stated.seriesOf(figure)[figure.place ?? 0] ?? [];
  return {
    series,
    stated: [series.map(({ date }) => date)],
    others: stated.datesBeside(figure),
    unread: stated.unreadDates(figure),
  };
}

/** When a date's figures are due, if that is to come. */
export function dueLater(
  { publicationOf, nowMs }: Search,
  date: string | undefined,
): number | undefined {
  const dueMs = date === undefined ? undefined : publicationOf?.(date);
  return dueMs !== undefined && dueMs > nowMs ? dueMs : undefined;
}
