import type { Publisher } from "../../../rates/documents.ts";
import { hashContent, unpackContent } from "../../../rates/documents.ts";
import { SNAPSHOT_SOURCE } from "../../../rates/served/history.ts";
import type { BundledPublication } from "../../../rates/sources/source.ts";
import type { DocumentReader, ReadDocument, StatedFigures } from "../document-reader.ts";
import { findFigure } from "./find-figure.ts";
import {
  type ParseDocuments,
  publisherParsers,
  rateStatedBy,
  snapshotParser,
  statedBy,
} from "./stated.ts";
import { createTextDecoder } from "./text.ts";

/** Of documents whose figures stay in memory for the next date of a list: an archive has 9 MB. */
const REMEMBERED_BYTES_MAX = 16_000_000;

/** Creates the reader of stored documents from the parsers that read them when they arrived. */
export function createDocumentReader(
  publishers: readonly Publisher[],
  parseSnapshot: (content: Uint8Array) => readonly BundledPublication[],
): DocumentReader {
  /** @returns what may have parsed a publication of a source. */
  const findParsers = (source: string): readonly ParseDocuments[] => {
    if (source === SNAPSHOT_SOURCE) return [snapshotParser(parseSnapshot)];
    const publisher = findPublisher(source);
    return publisher === undefined ? [] : publisherParsers(publisher);
  };
  const findPublisher = (source: string) => publishers.find(({ key }) => key === source);
  const servedKindOf = (source: string) => findPublisher(source)?.servedKind ?? "middle";
  const remembered = new Map<string, { readonly stated: StatedFigures; readonly bytes: number }>();

  return {
    figuresIn({ source, documents }) {
      const key = documents.map(({ name, hash }) => `${name} ${hash}`).join(" ");
      const known = remembered.get(key);
      if (known !== undefined) return known.stated;
      const read: ReadDocument[] = [];
      for (const { name, receivedAt, ...document } of documents) {
        const content = this.open(document);
        if ("reason" in content) return content;
        read.push({ name, receivedAt, content });
      }
      const stated = this.figuresOf(source, read);
      if ("reason" in stated) return stated;
      const bytes = read.reduce((sum, { content }) => sum + content.length, 0);
      for (const [oldest] of remembered) {
        const all = remembered.values().reduce((sum, one) => sum + one.bytes, bytes);
        if (all <= REMEMBERED_BYTES_MAX) break;
        remembered.delete(oldest);
      }
      remembered.set(key, { stated, bytes });
      return stated;
    },

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

    linesOf: (source, content) =>
      createTextDecoder(content, findPublisher(source)?.charset)().split("\n"),

    find(source, documents, { place, ...rate }) {
      const document = documents[place];
      if (document === undefined) return "not stated";
      const rateIn = (parse: ParseDocuments) => (content: Uint8Array) => {
        const changed = documents.with(place, { ...document, content });
        return rateStatedBy(parse, changed, rate, servedKindOf);
      };
      const { charset } = findPublisher(source) ?? {};
      const sought = { rate: rate.rate, date: rate.date ?? rate.asOf.slice(0, 10), charset };
      for (const parse of findParsers(source)) {
        const found = findFigure(document.content, sought, rateIn(parse));
        if (found !== "not stated") return found;
      }
      return "not stated";
    },
  };
}
