// What reads documents: of publishers as they were fetched, and files that operators import.

export { readRateFile } from "./import/files/read-rate-file.ts";
export { readTextLines } from "./import/files/text-lines.ts";
export { hashContent, unpackContent } from "./sources/fetching/content.ts";
export * as snapshots from "./sources/fetching/snapshot.ts";
export { ParseError, type Publisher, requestsOf } from "./sources/publishers/publisher.ts";
