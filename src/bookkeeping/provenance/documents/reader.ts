import { DAY_MS } from "../../../platform/shared/clock.ts";
import { timestamp } from "../../../platform/shared/instant.ts";
import {
  type snapshots as bundled,
  hashContent,
  type Publisher,
  unpackContent,
} from "../../../rates/documents.ts";
import { SNAPSHOT_SOURCE } from "../../../rates/served/history.ts";
import type { SourcedRate } from "../../../rates/served/rules/update-policy.ts";
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

/** How long after a document's time another time is tried. */
const TRIED_MS = 100 * DAY_MS;

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
      if (parse === undefined)
        return { reason: `neither this version nor its SOURCES_FILE has ${source}` };
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

    statedUnnamed(source, documents, figures) {
      const parse = findParser(source);
      if (parse === undefined) return new Set();
      const unnamed = documents.map(({ content, receivedAt }) => {
        return { name: "", content, receivedAt: timestamp(Date.parse(receivedAt) + TRIED_MS) };
      });
      const stated = figuresStatedBy(parse, unnamed, figures, servedKindOf);
      const isStated = ({ rate }: SourcedRate, index: number) =>
        stated[index]?.some((one) => one.rate === rate);
      return new Set(figures.filter(isStated));
    },

    linesOf: (source, content) =>
      createTextDecoder(content, findPublisher(source)?.charset).decode().split("\n"),

    find(source, documents, all) {
      const parse = findParser(source);
      const { charset } = findPublisher(source) ?? {};
      const found = new Map<string, Position>();
      for (const [place, figures] of Map.groupBy(all, (one) => one.place)) {
        if (parse === undefined || documents[place] === undefined) continue;
        const each = [...new Map(figures.map((one) => [positionKey(one), one])).values()];
        const stated = (content: Uint8Array) => {
          const changed = documents.with(place, { ...documents[place], content } as ReadDocument);
          return figuresStatedBy(parse, changed, each, servedKindOf);
        };
        const positions = findPositions(documents[place].content, each, charset, stated);
        for (const [index, one] of each.entries()) {
          found.set(positionKey(one), positions[index] ?? "not stated");
        }
      }
      return all.map((one) => found.get(positionKey(one)) ?? "not stated");
    },
  };
}

type Position = ReturnType<DocumentReader["find"]>[number];

const positionKey = ({ source, base, quote, kind, asOf, rate, place }: SourcedRate) =>
  `${place} ${source} ${base}/${quote} ${kind} ${asOf} ${rate}`;

/** @param statedIn parses a changed document: what it states for each figure's time. */
function findPositions(
  content: Uint8Array,
  figures: readonly SourcedRate[],
  charset: string | undefined,
  statedIn: (content: Uint8Array) => readonly (readonly SourcedRate[])[],
): readonly Position[] {
  const stated = statedIn(content);
  // Of several that contradict each other, an operator may have released any.
  const which = figures.map(({ rate }, index) => {
    return stated[index]?.findIndex((one) => one.rate === rate) ?? -1;
  });
  const sought = figures.map(({ rate, date, asOf }) => {
    return { rate, date: date ?? asOf.slice(0, 10), charset };
  });
  const found = findFigures(content, sought, (changed) =>
    statedIn(changed).map((some, index) => some[which[index] ?? -1]?.rate),
  );
  return found.map((position, index) => {
    const { table } = stated[index]?.[which[index] ?? -1] ?? {};
    return typeof position === "object" ? { ...position, table } : position;
  });
}
