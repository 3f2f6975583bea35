import {
  type snapshots as bundled,
  hashContent,
  type Publisher,
  unpackContent,
} from "../../../rates/documents.ts";
import { SNAPSHOT_SOURCE } from "../../../rates/served/history.ts";
import type { DocumentReader } from "../document-reader.ts";
import { checkAddresses, checkSnapshot } from "./addresses.ts";
import { findFigure } from "./find-figure.ts";
import {
  figuresStatedBy,
  type ParseDocuments,
  publisherParser,
  snapshotParser,
  statedBy,
} from "./stated.ts";
import { createTextDecoder } from "./text.ts";

/** Creates the reader of stored documents from the parsers that read them when they arrived. */
export function createDocumentReader(
  publishers: readonly Publisher[],
  snapshots: Pick<typeof bundled, "loadSnapshot" | "parseSnapshot">,
): DocumentReader {
  /** @returns what parses a publication of a source. */
  const findParser = (source: string): ParseDocuments | undefined => {
    if (source === SNAPSHOT_SOURCE) return snapshotParser(snapshots.parseSnapshot);
    const publisher = findPublisher(source);
    return publisher && publisherParser(publisher);
  };
  const findPublisher = (source: string) => publishers.find(({ key }) => key === source);
  const servedKindOf = (source: string) => findPublisher(source)?.servedKind ?? "middle";

  return {
    figuresOf(source, documents) {
      const parse = findParser(source);
      if (parse === undefined) return { reason: `this version does not know ${source}` };
      return statedBy(parse, documents, servedKindOf);
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

    checkOrigin(source, documents, receivedAt) {
      if (source === SNAPSHOT_SOURCE) return checkSnapshot(documents, snapshots.loadSnapshot());
      const publisher = findPublisher(source);
      return publisher && checkAddresses(publisher, documents, Date.parse(receivedAt));
    },

    linesOf: (source, content) =>
      createTextDecoder(content, findPublisher(source)?.charset)().split("\n"),

    find(source, documents, { place, ...rate }) {
      const document = documents[place];
      const parse = findParser(source);
      if (document === undefined || parse === undefined) return "not stated";
      const figuresIn = (content: Uint8Array) => {
        const changed = documents.with(place, { ...document, content });
        return figuresStatedBy(parse, changed, rate, servedKindOf);
      };
      // Of several that contradict each other, an operator may have released any.
      const stated = figuresIn(document.content).toArray();
      const which = stated.findIndex((one) => one.rate === rate.rate);
      if (which === -1) return "not stated";
      const rateIn = (content: Uint8Array) => figuresIn(content).drop(which).next().value?.rate;
      const { charset } = findPublisher(source) ?? {};
      const sought = { rate: rate.rate, date: rate.date ?? rate.asOf.slice(0, 10), charset };
      const found = findFigure(document.content, sought, rateIn);
      return typeof found === "object" ? { ...found, table: stated[which]?.table } : found;
    },
  };
}
