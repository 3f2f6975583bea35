import type { Instant } from "../shared/instant.ts";
import { IMPORT_SOURCE, type SourcedRate } from "./rules/update-policy.ts";
import type { RateSource } from "./source.ts";

/** The headers that name a rate's publisher, terms and next publication, as they are stored. */
export interface StoredHeaders {
  /** Alternating names and values, as a JSON list. */
  readonly json: string;
  /** The id of the key that signed them; undefined without a signature. */
  readonly signingKey: string | undefined;
}

/**
 * Computes the headers of a rate's responses: once, when it is stored.
 *
 * @param storedAt RFC 3339 in UTC.
 */
export type HeadersOf = (rate: SourcedRate, storedAt: string) => StoredHeaders;

/** @param json as the store keeps it; null for a rate of an older version, until the next start. */
export function parseHeaders(json: string | null): readonly string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}

/** What the headers say about a source. */
export type HeaderSource = Pick<RateSource, "key" | "name" | "termsUrl" | "schedule">;

const imported = [
  "rate-source",
  rateSource({ key: IMPORT_SOURCE, name: "Imported by the operator" }),
];

/** @param sources every known source: a store may have rates of those that are switched off. */
export function createHeadersOf(sources: readonly HeaderSource[]): HeadersOf {
  const bySource = new Map(sources.map((source) => [source.key, forSource(source)]));
  return (rate) => {
    const headers = bySource.get(rate.source)?.(rate.asOf) ?? imported;
    return { json: JSON.stringify(headers), signingKey: undefined };
  };
}

/** The rates of one publication have one time, so the last result is kept. */
function forSource(source: HeaderSource): (asOf: Instant) => readonly string[] {
  const { termsUrl, schedule } = source;
  const constant = ["rate-source", rateSource(source)];
  if (termsUrl !== undefined) constant.push("link", `<${termsUrl}>; rel="license"`);
  let last: { readonly asOf: string; readonly headers: readonly string[] } | undefined;
  return (asOf) => {
    if (last?.asOf !== asOf) {
      const nextMs = schedule.following(Date.parse(asOf));
      const next = nextMs === undefined ? [] : ["rate-next", wholeSeconds(nextMs)];
      last = { asOf, headers: [...constant, ...next] };
    }
    return last.headers;
  };
}

/** An item of RFC 9651 with the publisher's name as a parameter; the names are ASCII. */
function rateSource({ key, name }: { readonly key: string; readonly name: string }): string {
  return `${key};name="${name.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** RFC 3339 without a fraction: the times of calendars are whole seconds. */
export function wholeSeconds(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(".000", "");
}
