import { createDocumentReader } from "../../src/bookkeeping/provenance/documents/reader.ts";
import { systemClock } from "../../src/platform/shared/clock.ts";
import type { SigningKey } from "../../src/rates/served/signing-key.ts";
import { packContent } from "../../src/rates/sources/fetching/content.ts";
import { sourceNames, sourcesOf } from "../../src/rates/sources/fetching/registry.ts";
import { loadSnapshot, parseSnapshot } from "../../src/rates/sources/fetching/snapshot.ts";
import { createHeadersOf } from "../../src/rates/sources/headers.ts";
import { createPastRates } from "../../src/rates/sources/past-rates.ts";
import { publishers } from "../../src/rates/sources/publishers/catalogue.ts";

export const sources = sourcesOf(sourceNames.known, { clock: systemClock, version: "test" });

/** Past rates of every known source, without a signature. */
export const pastRates = createPastRates(sources, { clock: systemClock, signingKey: undefined });

/** The headers of every known source, without a signature. */
export const headersOf = createHeadersOf(sources);

/** The same, with the signature of a key. */
export const signedHeadersOf = (key: SigningKey) => createHeadersOf(sources, () => key);

/** Reads documents with the parsers of every publisher. */
export const documentReader = createDocumentReader(publishers, { loadSnapshot, parseSnapshot });

/** A document's text as the store keeps it. */
export const packed = (text: string) => packContent(Buffer.from(text));
