import { packContent } from "../../src/rates/documents/content.ts";
import { createDocumentReader } from "../../src/rates/documents/reader.ts";
import { createHeadersOf } from "../../src/rates/headers.ts";
import { publishers } from "../../src/rates/publishers/catalogue.ts";
import type { SigningKey } from "../../src/rates/signing-key.ts";
import { sourceNames, sourcesOf } from "../../src/rates/sources/registry.ts";
import { parseSnapshot } from "../../src/rates/sources/snapshot.ts";
import { systemClock } from "../../src/shared/clock.ts";

const sources = sourcesOf(sourceNames.known, { clock: systemClock, version: "test" });

/** The headers of every known source, without a signature. */
export const headersOf = createHeadersOf(sources);

/** The same, with the signature of a key. */
export const signedHeadersOf = (key: SigningKey) => createHeadersOf(sources, () => key);

/** Reads documents with the parsers of every publisher. */
export const documentReader = createDocumentReader(publishers, parseSnapshot);

/** A document's text as the store keeps it. */
export const packed = (text: string) => packContent(Buffer.from(text));
