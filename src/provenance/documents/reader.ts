import { ANY_TIME } from "../../import/seed.ts";
import { SNAPSHOT_SOURCE } from "../../rates/history.ts";
import { parseQuotation, type Quotation, type Rejection } from "../../rates/rules/rate.ts";
import { pairName } from "../../rates/rules/symbol.ts";
import type { SourcedRate } from "../../rates/rules/update-policy.ts";
import { ParseError, type Publisher } from "../../sources/publishers/publisher.ts";
import type { BundledPublication } from "../../sources/source.ts";
import type { DocumentReader, ReadDocument, StatedRates } from "../document-reader.ts";
import { hashOf, unpackContent } from "./content.ts";
import { findFigure } from "./find-figure.ts";

/** Creates the reader of stored documents from the parsers that read them when they arrived. */
export function createDocumentReader(
  publishers: readonly Publisher[],
  parseSnapshot: (content: Uint8Array) => readonly BundledPublication[],
): DocumentReader {
  const ratesOf = (source: string, documents: readonly ReadDocument[]) => {
    if (source === SNAPSHOT_SOURCE) return ratesOfSnapshot(documents, parseSnapshot);
    const publisher = publishers.find(({ key }) => key === source);
    if (publisher === undefined) return { reason: `this version does not know ${source}` };
    return ratesOfPublisher(publisher, documents);
  };

  return {
    ratesOf,

    open({ hash, content }) {
      if (content === undefined) return { reason: "it is missing" };
      try {
        const bytes = unpackContent(content);
        return hashOf(bytes) === hash ? bytes : { reason: "its bytes have another SHA-256" };
      } catch {
        return { reason: "its bytes cannot be decompressed" };
      }
    },

    find(source, documents, { place, ...rate }) {
      const document = documents[place];
      if (document === undefined) return undefined;
      const pair = pairName(rate);
      return findFigure(document.content, rate.rate, (content) => {
        const changed = documents.with(place, { ...document, content });
        const rates = ratesOf(source, changed);
        return "reason" in rates ? undefined : rates.get(pair)?.rate;
      });
    },
  };
}

function ratesOfPublisher(
  { key, parse, servedKind = "middle" }: Publisher,
  documents: readonly ReadDocument[],
): StatedRates | Rejection {
  try {
    const lines = parse(
      documents.map(({ name, content, receivedAt }) => ({
        address: name,
        body: content,
        receivedMs: Date.parse(receivedAt),
      })),
    );
    const rates = new Map<string, SourcedRate>();
    for (const line of lines) {
      const { kind = "middle" } = line;
      if (!("reason" in line) && kind === servedKind) add(rates, line, key);
    }
    return rates;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { reason: error.message };
  }
}

function ratesOfSnapshot(
  [document]: readonly ReadDocument[],
  parseSnapshot: (content: Uint8Array) => readonly BundledPublication[],
): StatedRates | Rejection {
  if (document === undefined) return { reason: "it is missing" };
  try {
    const rates = new Map<string, SourcedRate>();
    for (const { source, quotations } of parseSnapshot(document.content)) {
      for (const quotation of quotations) add(rates, quotation, source);
    }
    return rates;
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Where two publications of the snapshot have the same pair, the earlier one provides it. */
function add(rates: Map<string, SourcedRate>, quotation: Quotation, source: string): void {
  const rate = parseQuotation(quotation, ANY_TIME);
  if ("reason" in rate) return;
  const pair = pairName(rate);
  if (!rates.has(pair)) rates.set(pair, { ...rate, source });
}
