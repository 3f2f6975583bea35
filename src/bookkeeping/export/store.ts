import type { DateRange, FigurePlace, PairCursor, StoredFigure } from "../../rates/series/store.ts";
import type { FigureKind } from "../../rates/served/figures.ts";
import type { Pair } from "../../rates/served/rules/symbol.ts";

/** A figure as bookkeeping programs get it: its rate is as it is stored, digit for digit. */
export type ExportedFigure = Omit<StoredFigure, "storedAt" | "publication" | "hash">;

/** Which kind of each source's figures is selected. */
export interface SelectedKinds {
  readonly kind: FigureKind;
  /** The sources of which it is another one. */
  readonly exceptions: readonly (readonly [source: string, kind: FigureKind])[];
}

/** One series of each pair. */
export interface SelectedSeries extends SelectedKinds {
  /** Undefined: of each pair the source that owns it now. */
  readonly source: string | undefined;
}

/** Pairs in their order, both ends included: of one base, a single one, or all. */
export interface PairRange {
  readonly first: PairCursor;
  readonly last: PairCursor;
}

export interface SelectedFigures extends SelectedSeries, DateRange {
  readonly pairs: PairRange;
}

/** A document in the list of those that are stored, without its content. */
export interface ListedDocument {
  readonly publication: number;
  /** From 1, in the order of the publication's documents. */
  readonly number: number;
  readonly name: string;
  readonly receivedAt: string;
  /** SHA-256; undefined for a file that an import did not read to its end. */
  readonly hash: string | undefined;
  readonly bytes: number | undefined;
}

/** The publications of a source or, with a date, those that its figures of that date came from. */
export interface SelectedPublications {
  readonly source: string;
  readonly date: string | undefined;
}

/** A place in the list of documents. */
export type DocumentCursor = Pick<ListedDocument, "publication" | "number">;

/** Reads what exports write. */
export interface ExportReads {
  /** A page of the selected figures after a place, with all their revisions, by pair and date. */
  figures(selected: SelectedFigures, after: FigurePlace, limit: number): Promise<ExportedFigure[]>;
  /** The pairs of the selected figures, in their order. */
  pairs(selected: SelectedFigures): Promise<Pair[]>;
  /** A page of the documents of publications after a place, in the order of their arrival. */
  documents(
    selected: SelectedPublications,
    after: DocumentCursor,
    limit: number,
  ): Promise<ListedDocument[]>;
  /** The newest of the publications, and how many there are; undefined when there is none. */
  newest(
    selected: SelectedPublications,
  ): Promise<{ readonly publication: number; readonly count: number } | undefined>;
}
