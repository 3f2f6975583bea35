import type { FileDigest } from "../../platform/shared/file-digest.ts";

/** The source of the publication that a new store begins with: the snapshot of this program. */
export const SNAPSHOT_SOURCE = "snapshot";

/** What one fetch, one import or the bundled snapshot brought. */
export interface Publication {
  /** A publisher's key, `import` or `snapshot`. */
  readonly source: string;
  /** RFC 3339 in UTC. */
  readonly receivedAt: string;
  readonly documents: readonly Document[];
  /** Whether its rates have the time of its receipt: the same documents then state new rates. */
  readonly isPolled?: boolean;
}

/** A document that rates came from. */
interface Document {
  /** The address that sent it, or the name of the file. */
  readonly name: string;
  /** RFC 3339 in UTC, by the publisher's clock if its response stated the time. */
  readonly receivedAt: string;
  /** Undefined for an imported file, of which only the digest is kept. */
  readonly stored: StoredContent | undefined;
}

/** The bytes of a document in the form that the store keeps. */
export interface StoredContent {
  /** SHA-256 of the content in hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
  /** The content, compressed with zstd. */
  readonly compressed: Uint8Array;
}

/** Hashes and compresses the bytes of a document. */
export type PackContent = (content: Uint8Array) => Promise<StoredContent>;

/** What the store knows about where rates came from. */
export interface HistoryStore {
  /** Records the digest of an imported file, which is known once it was read to its end. */
  recordDigest(publication: number, digest: FileDigest): Promise<void>;
  /**
   * Removes what the history of every moment since a time does not need: observations and events of
   * pairs from before, and publications that nothing else refers to. What was served then stays.
   *
   * @param before RFC 3339 in UTC.
   * @returns its steps, each of a few milliseconds. Pause between them, for other work.
   */
  removeBefore(before: string): AsyncIterable<void>;
}
