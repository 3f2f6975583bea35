import { type Failure, toFailure } from "../../platform/shared/failure.ts";
import type { ServedRate } from "./rules/rate.ts";
import { pairName } from "./rules/symbol.ts";
import type { SourcedRate } from "./rules/update-policy.ts";
import type { PublicSigningKey } from "./signing-key.ts";

/** The headers that name a rate's publisher, terms and next publication, as they are stored. */
export interface StoredHeaders {
  /** Alternating names and values, as a JSON list. */
  readonly json: string;
  /** The key that signed them; undefined without a signature. */
  readonly signingKey: PublicSigningKey | undefined;
}

/**
 * Computes the headers of the responses with a rate: when it is stored, or signed anew. Times are
 * RFC 3339 in UTC.
 */
export interface HeadersOf {
  /** Those of one rate. A signature blocks for 0.1 ms. */
  rate(rate: SourcedRate, signedAt: string): StoredHeaders;
  /**
   * Those of many, before the transaction that stores them: it would hold its lock while they are
   * signed, and the server would not respond. Of several rates of a pair, only the last is signed:
   * the others are not served, unless it is rejected.
   */
  rates(
    rates: readonly SourcedRate[],
    signedAt: string,
  ): Promise<(rate: SourcedRate) => StoredHeaders>;
}

/** The headers with the signature of a rate's response, and with the digest that it covers. */
export const signatureHeaders: ReadonlySet<string> = new Set([
  "content-digest",
  "signature-input",
  "signature",
]);

/** The header with the time of the next publication. */
export const RATE_NEXT = "rate-next";

/** The header with the digest of the document in which the publisher states the rate. */
export const RATE_DOCUMENT = "rate-document";

/** @param hash of the document's bytes: the SHA-256 in hexadecimal. @see RFC 9530 */
export function documentHeader(hash: string): readonly [name: string, value: string] {
  return [RATE_DOCUMENT, `sha-256=:${Buffer.from(hash, "hex").toString("base64")}:`];
}

/**
 * Adds the header of a document to headers as they are stored: no signature covers it.
 *
 * @param hash undefined where it is not known, as that of a file before its import has ended.
 */
export function withDocument(json: string, hash: string | undefined): string {
  return hash === undefined ? json : `${json.slice(0, -1)}${documentEnding(hash)}`;
}

/** What replaces the last character of stored headers. */
export const documentEnding = (hash: string) => `,${JSON.stringify(documentHeader(hash)).slice(1)}`;

/** A list of names and values that are the same bytes on every way in. */
const SENDABLE = /^\[(?:"[\w-]+","(?:[ !#-[\]-~]|\\["\\])*"(?:,(?!\])|(?=\])))*\]$/;

/**
 * @param json as the store keeps it; null after a restore, until the next start.
 * @returns `internal_error` for headers that cannot be sent.
 */
export function servedRate(rate: SourcedRate, json: string | null): ServedRate | Failure {
  const { base, quote, rate: figure, asOf, source } = rate;
  const headers = json === null ? [] : (JSON.parse(json) as string[]);
  if (json !== null && !SENDABLE.test(json)) {
    const advice = "a start, or the next figure, makes them anew";
    return toFailure(new Error(`the stored headers of ${pairName(rate)} are damaged: ${advice}`));
  }
  const next = headers.indexOf(RATE_NEXT);
  const nextMs = next === -1 ? Number.POSITIVE_INFINITY : Date.parse(headers[next + 1] ?? "");
  return { base, quote, rate: figure, asOf, source, headers, nextMs };
}
