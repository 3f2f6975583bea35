import type { Instant } from "../../platform/shared/instant.ts";
import type { PairCursor, StoredFigure } from "../../rates/series/store.ts";
import type { Pair } from "../../rates/served/rules/symbol.ts";
import type { SourcedRate } from "../../rates/served/rules/update-policy.ts";

/** An accepted rate in its pair's history. Times are RFC 3339 in UTC. */
export interface Observation
  extends SourcedRate,
    Pick<StoredFigure, "storedAt" | "publication" | "hash"> {
  /** From 1 for each pair, in the order of acceptance. */
  readonly sequence: number;
}

/** The observations of a pair whose `as_of` is in a range, both ends included. */
export interface ObservationRange {
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
}

/** A publication with its documents, in their order. */
export interface StoredPublication {
  readonly id: number;
  readonly source: string;
  readonly receivedAt: string;
  readonly documents: readonly StoredDocument[];
}

export interface StoredDocument {
  readonly name: string;
  readonly receivedAt: string;
  /** SHA-256 in hexadecimal; undefined for a file that an import did not read to its end. */
  readonly hash: string | undefined;
  readonly bytes: number | undefined;
  /** Compressed; undefined for an imported file, and when it is missing. */
  readonly content: Uint8Array | undefined;
  /** Whether no earlier publication has the same content. */
  readonly isFirst: boolean;
}

/** What is served of a pair at present. */
interface PresentRate {
  /** The sequence of the observation that is served. */
  readonly observation: number;
  readonly suspendedAt: string | undefined;
}

/** A served rate, and the observation that it should equal. */
export interface ServedPair {
  readonly served: SourcedRate & { readonly sequence: number };
  /** The last observation of the pair; undefined when there is none. */
  readonly last: (SourcedRate & { readonly sequence: number }) | undefined;
}

/** An observation that cannot be right by itself, whatever its document states. */
export interface SuspectObservation {
  readonly observation: Observation;
  /** The source of its publication; undefined if that is missing. */
  readonly publisher: string | undefined;
  /** Whether its publication has the document that it refers to. */
  readonly hasDocument: boolean;
  /** Whether the pair has earlier observations, but not the one before it. */
  readonly followsGap: boolean;
  /** "not a time" or "in the future": the time of its storing; undefined if that can be right. */
  readonly timeProblem: string | undefined;
}

/** A served rate whose stored headers name another source. */
export interface MisnamedRate {
  readonly rate: SourcedRate;
  /** JSON, as they are stored. */
  readonly headers: string;
}

/** A place in the history, ordered by pair and number. */
export type ObservationCursor = Pick<Observation, "sequence"> & PairCursor;

/** Reads the history of rates. */
export interface ObservationReads {
  /** A page of a pair's observations after a sequence, in their order. */
  observations(
    pair: Pair,
    query: ObservationRange & { readonly after: number; readonly limit: number },
  ): Promise<Observation[]>;
  observation(pair: Pair, sequence: number): Promise<Observation | undefined>;
  /** The last of a pair's observations that were stored by a time. */
  lastStoredBy(pair: Pair, at: string): Promise<Observation | undefined>;
  /** How many observations a pair has after a sequence, and when the first of them was stored. */
  after(
    pair: Pair,
    sequence: number,
  ): Promise<{ readonly count: number; readonly storedAt: string | undefined }>;
  present(pair: Pair): Promise<PresentRate | undefined>;
  /** The first publication, of one source or of any, whose id is at least this. */
  publicationFrom(id: number, source?: string): Promise<StoredPublication | undefined>;
  /** The first publications with a document of this hash, and how many figures it gave them. */
  usesOf(
    hash: string,
    limit: number,
  ): Promise<{ readonly publication: number; readonly figures: number; readonly pairs: number }[]>;
  /** The first figures of a pair that are stored as those of a document, by their times. */
  figuresIn(hash: string, pair: Pair, limit: number): Promise<SourcedRate[]>;
  /** The id of the last publication; 0 when there is none. */
  lastPublication(): Promise<number>;
  /** A page of a publication's observations after one of them, ordered by pair and sequence. */
  observationsOf(
    publication: number,
    after: ObservationCursor,
    limit: number,
  ): Promise<Observation[]>;
  /** How many observations a publication has, without those whose document or source is wrong. */
  countOf(publication: number): Promise<number>;
  /**
   * A page of the served rates that differ from the last observation of their pair, ordered by
   * pair, after a pair.
   */
  differing(after: PairCursor, limit: number): Promise<ServedPair[]>;
  /**
   * A page of the observations after one of them that cannot be right, ordered by pair and number.
   *
   * @param latest no time of storing may be later; RFC 3339 in UTC, to the millisecond.
   */
  suspects(after: ObservationCursor, latest: string, limit: number): Promise<SuspectObservation[]>;
  /** A page of the last observations of pairs that are not served, ordered by pair. */
  unserved(after: PairCursor, limit: number): Promise<Observation[]>;
  /** A page of the served rates whose headers name another source, ordered by pair. */
  misnamed(after: PairCursor, limit: number): Promise<MisnamedRate[]>;
}
