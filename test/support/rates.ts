import { packContent } from "../../src/rates/documents/content.ts";
import { createDocumentReader } from "../../src/rates/documents/reader.ts";
import { createHeadersOf } from "../../src/rates/headers.ts";
import { publishers } from "../../src/rates/publishers/catalogue.ts";
import { sourceNames, sourcesOf } from "../../src/rates/sources/registry.ts";
import { parseSnapshot } from "../../src/rates/sources/snapshot.ts";
import { systemClock } from "../../src/shared/clock.ts";

/** The headers of every known source, without a signature. */
export const headersOf = createHeadersOf(
  sourcesOf(sourceNames.known, { clock: systemClock, version: "test" }),
);

/** Reads documents with the parsers of every publisher. */
export const documentReader = createDocumentReader(publishers, parseSnapshot);

/** A document's text as the store keeps it. */
export const packed = (text: string) => packContent(Buffer.from(text));
