import { packContent } from "../../src/provenance/documents/content.ts";
import { createDocumentReader } from "../../src/provenance/documents/reader.ts";
import type { SigningKey } from "../../src/rates/signing-key.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { sourceNames, sourcesOf } from "../../src/sources/fetching/registry.ts";
import { parseSnapshot } from "../../src/sources/fetching/snapshot.ts";
import { createHeadersOf } from "../../src/sources/headers.ts";
import { publishers } from "../../src/sources/publishers/catalogue.ts";

export const sources = sourcesOf(sourceNames.known, { clock: systemClock, version: "test" });

/** The headers of every known source, without a signature. */
export const headersOf = createHeadersOf(sources);

/** The same, with the signature of a key. */
export const signedHeadersOf = (key: SigningKey) => createHeadersOf(sources, () => key);

/** Reads documents with the parsers of every publisher. */
export const documentReader = createDocumentReader(publishers, parseSnapshot);

/** A document's text as the store keeps it. */
export const packed = (text: string) => packContent(Buffer.from(text));
