import type { Rejection } from "../../rates/served/rules/rate.ts";
import type { SourcedRate } from "../../rates/served/rules/update-policy.ts";
import type { StoredDocument, StoredPublication } from "./observations.ts";

/** A document with its content. */
export interface ReadDocument {
  /** The address of a publisher's document. */
  readonly name: string;
  readonly content: Uint8Array;
  /** RFC 3339 in UTC. */
  readonly receivedAt: string;
}

/** A figure with the publisher's own date. */
type DatedRate = SourcedRate & { readonly date: string };

/** The figures that documents state. */
export interface StatedFigures {
  /**
   * The one of a source, pair, kind and time, with the figure's own rate if it is stated so.
   *
   * @param figure without a kind, of the one that its source serves.
   */
  get(figure: SourcedRate): SourcedRate | undefined;
  /** All of them, without those that contradict each other. */
  all(): readonly SourcedRate[];
  /** The figures of a source, pair and kind that each document states, in any order. */
  seriesOf(figure: SourcedRate): readonly (readonly DatedRate[])[];
  /** The dates of the other pairs of its source and kind in the document at its place. */
  datesBeside(figure: SourcedRate): readonly string[];
  /**
   * The dates of that document's lines that cannot be read, of the figure's pair or an unknown one;
   * undefined for a line whose date cannot be read either.
   */
  unreadDates(figure: SourcedRate): readonly (string | undefined)[];
}

/** Where a document states a figure. */
export interface FigurePosition {
  /** From 1. */
  readonly line: number;
  /** The first character of the figure in its line, from 1. */
  readonly column: number;
  /** The line, or the part of a long one around the figure; control characters are spaces. */
  readonly text: string;
  /** The figure as the publisher wrote it. */
  readonly figure: string;
  /** Where the figure begins in `text`, from 0. */
  readonly offset: number;
  /** The publisher's own number of the table, where it has one. */
  readonly table?: string | undefined;
}

/** Reads stored documents as they were read when they arrived. */
export interface DocumentReader {
  /** @returns the content, or the reason why it is not the one that was stored. */
  open(document: Pick<StoredDocument, "hash" | "content">): Uint8Array | Rejection;
  /** What a stored publication states; it remembers the last ones. @returns why not, if so. */
  figuresIn(publication: StoredPublication): StatedFigures | Rejection;
  /** Parses a publication's documents, in their order. @returns the reason if that fails. */
  figuresOf(source: string, documents: readonly ReadDocument[]): StatedFigures | Rejection;
  /**
   * Tells what is wrong with documents as one publication by their names: an address that is not
   * of the source, or is there twice, or a snapshot that is not this program's, is foreign.
   *
   * @param receivedAt when they were fetched: some addresses have the date.
   * @returns undefined if nothing is.
   */
  checkOrigin(
    source: string,
    documents: readonly ReadDocument[],
    receivedAt: string,
  ): (Rejection & { readonly isForeign: boolean }) | undefined;
  /** Whether a document of a source that has figures of a date may have a name, by its dates. */
  isNamedFor(
    source: string,
    name: string,
    figure: Pick<SourcedRate, "date" | "validUntil">,
  ): boolean;
  /** The lines of a document of a source; a line ends with a line feed. */
  linesOf(source: string, content: Uint8Array): readonly string[];
  /** Finds where a publication states each of some figures, or tells why that is unknown. */
  find(
    source: string,
    documents: readonly ReadDocument[],
    figures: readonly (SourcedRate & { readonly place: number })[],
  ): readonly (FigurePosition | "not stated" | "not found")[];
}
