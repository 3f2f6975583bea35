import { createHeadersOf } from "../../src/rates/headers.ts";
import type { SigningKey } from "../../src/rates/signing-key.ts";
import { sourceNames, sourcesOf } from "../../src/rates/sources/registry.ts";
import { systemClock } from "../../src/shared/clock.ts";

const sources = sourcesOf(sourceNames.known, { clock: systemClock, version: "test" });

/** The headers of every known source, without a signature. */
export const headersOf = createHeadersOf(sources);

/** The same, with the signature of a key. */
export const signedHeadersOf = (key: SigningKey) => createHeadersOf(sources, () => key);
