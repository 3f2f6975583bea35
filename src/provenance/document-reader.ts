import type { Rejection } from "../rates/rules/rate.ts";
import type { SourcedRate } from "../rates/rules/update-policy.ts";
import type { StoredDocument } from "./observations.ts";

/** A document with its content. */
export interface ReadDocument {
  /** The address of a publisher's document. */
  readonly name: string;
  readonly content: Uint8Array;
  /** RFC 3339 in UTC. */
  readonly receivedAt: string;
}

/** The rates that documents state, by the names of their pairs. */
export type StatedRates = ReadonlyMap<string, SourcedRate>;

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
}

/** Reads stored documents as they were read when they arrived. */
export interface DocumentReader {
  /** @returns the content, or the reason why it is not the one that was stored. */
  open(document: StoredDocument): Uint8Array | Rejection;
  /** Parses a publication's documents, in their order. @returns the reason if that fails. */
  ratesOf(source: string, documents: readonly ReadDocument[]): StatedRates | Rejection;
  /** Finds where a publication states a rate; undefined if it does not. */
  find(
    source: string,
    documents: readonly ReadDocument[],
    stated: SourcedRate & { readonly place: number },
  ): FigurePosition | undefined;
}
