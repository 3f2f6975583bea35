import { createHeadersOf } from "../../src/rates/headers.ts";
import { sourceNames, sourcesOf } from "../../src/rates/sources/registry.ts";
import { systemClock } from "../../src/shared/clock.ts";

/** The headers of every known source, without a signature. */
export const headersOf = createHeadersOf(
  sourcesOf(sourceNames.known, { clock: systemClock, version: "test" }),
);
