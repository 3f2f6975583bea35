import {
  type snapshots as bundled,
  hashContent,
  type Publisher,
  unpackContent,
} from "../../../rates/documents.ts";
import { SNAPSHOT_SOURCE } from "../../../rates/served/history.ts";
import type { DocumentReader, ReadDocument, StatedFigures } from "../document-reader.ts";
import { checkAddresses, checkSnapshot, isNamedFor } from "./addresses.ts";
import { findFigures } from "./find-figure.ts";
import {
  figuresStatedBy,
  type ParseDocuments,
  publisherParser,
  snapshotParser,
  statedBy,
} from "./stated.ts";
import { createTextDecoder } from "./text.ts";

/** Of documents whose figures stay in memory for the next date of a list: an archive has 9 MB. */
const REMEMBERED_BYTES_MAX = 16_000_000;

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

    isNamedFor(source, name, { date, validUntil }) {
      const publisher = findPublisher(source);
      const isDated = publisher !== undefined && date !== undefined;
      return !isDated || isNamedFor(publisher, name, { date, validUntil });
    },

    linesOf: (source, content) =>
      createTextDecoder(content, findPublisher(source)?.charset)().split("\n"),

    find(source, documents, all) {
      const parse = findParser(source);
      const { charset } = findPublisher(source) ?? {};
      const found: ReturnType<DocumentReader["find"]>[number][] = all.map(() => "not stated");
      for (const [place, document] of documents.entries()) {
        const indexes = [...all.keys()].filter((index) => all[index]?.place === place);
        const figures = indexes.flatMap((index) => all[index] ?? []);
        if (parse === undefined || figures.length === 0) continue;
        const statedIn = (content: Uint8Array) => {
          const changed = documents.with(place, { ...document, content });
          return figuresStatedBy(parse, changed, figures, servedKindOf);
        };
        // Of several that contradict each other, an operator may have released any.
        const stated = statedIn(document.content);
        const which = figures.map(({ rate }, at) => {
          return stated[at]?.findIndex((one) => one.rate === rate) ?? -1;
        });
        const sought = figures.map(({ rate, date, asOf }) => {
          return { rate, date: date ?? asOf.slice(0, 10), charset };
        });
        const places = findFigures(document.content, sought, (content) =>
          statedIn(content).map((some, at) => some[which[at] ?? -1]?.rate),
        );
        for (const [at, index] of indexes.entries()) {
          const position = places[at] ?? "not stated";
          const { table } = stated[at]?.[which[at] ?? -1] ?? {};
          found[index] = typeof position === "object" ? { ...position, table } : position;
        }
      }
      return found;
    },
  };
}
