import type { Publisher } from "../../../rates/documents.ts";
import { hashContent, unpackContent } from "../../../rates/documents.ts";
import { SNAPSHOT_SOURCE } from "../../../rates/served/history.ts";
import type { BundledPublication, Snapshot } from "../../../rates/sources/source.ts";
import type { DocumentReader } from "../document-reader.ts";
import { judgeAddresses, judgeSnapshot } from "./addresses.ts";
import { findFigure } from "./find-figure.ts";
import {
  figureStatedBy,
  type ParseDocuments,
  publisherParsers,
  snapshotParser,
  statedBy,
} from "./stated.ts";
import { createTextDecoder } from "./text.ts";

/** Creates the reader of stored documents from the parsers that read them when they arrived. */
export function createDocumentReader(
  publishers: readonly Publisher[],
  snapshots: {
    readonly parse: (content: Uint8Array) => readonly BundledPublication[];
    /** Loads the one that comes with the program. */
    readonly load: () => Pick<Snapshot, "fileName" | "content">;
  },
): DocumentReader {
  /** @returns what may have parsed a publication of a source. */
  const findParsers = (source: string): readonly ParseDocuments[] => {
    if (source === SNAPSHOT_SOURCE) return [snapshotParser(snapshots.parse)];
    const publisher = findPublisher(source);
    return publisher === undefined ? [] : publisherParsers(publisher);
  };
  const findPublisher = (source: string) => publishers.find(({ key }) => key === source);
  const servedKindOf = (source: string) => findPublisher(source)?.servedKind ?? "middle";

  return {
    figuresOf(source, documents) {
      const parsers = findParsers(source);
      if (parsers.length === 0) return { reason: `this version does not know ${source}` };
      return statedBy(parsers, documents, servedKindOf);
    },

    open({ hash, content }) {
      if (content === undefined) return { reason: "it is missing" };
      try {
        const bytes = unpackContent(content);
        return hashContent(bytes) === hash ? bytes : { reason: "its bytes have another SHA-256" };
      } catch {
        return { reason: "its bytes cannot be decompressed" };
      }
    },

    judgeAddresses(source, documents, receivedAt) {
      if (source === SNAPSHOT_SOURCE) return judgeSnapshot(documents, snapshots.load());
      const publisher = findPublisher(source);
      return publisher && judgeAddresses(publisher, documents, Date.parse(receivedAt));
    },

    linesOf: (source, content) =>
      createTextDecoder(content, findPublisher(source)?.charset)().split("\n"),

    find(source, documents, { place, ...rate }) {
      const document = documents[place];
      if (document === undefined) return "not stated";
      let table: string | undefined;
      const rateIn = (parse: ParseDocuments) => (content: Uint8Array) => {
        const changed = documents.with(place, { ...document, content });
        const stated = figureStatedBy(parse, changed, rate, servedKindOf);
        if (content === document.content) table = stated?.table;
        return stated?.rate;
      };
      const { charset } = findPublisher(source) ?? {};
      const sought = { rate: rate.rate, date: rate.date ?? rate.asOf.slice(0, 10), charset };
      for (const parse of findParsers(source)) {
        const found = findFigure(document.content, sought, rateIn(parse));
        if (typeof found === "object") return { ...found, table };
        if (found !== "not stated") return found;
      }
      return "not stated";
    },
  };
}
