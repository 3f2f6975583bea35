import { type RateSource, type Schedule, scheduleOf } from "../sources/source.ts";
import { rateBody } from "./rules/rate.ts";
import { pairName } from "./rules/symbol.ts";
import { IMPORT_SOURCE, type SourcedRate } from "./rules/update-policy.ts";
import type { PublicSigningKey, SignedContent, SigningKey } from "./signing-key.ts";

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
   * the others are not served, unless it is refused.
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

/** @param json as the store keeps it; null for a rate of an older version, until the next start. */
export function parseHeaders(json: string | null): readonly string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}

/** What the headers say about a source. */
export type HeaderSource = Pick<
  RateSource,
  "key" | "name" | "termsUrl" | "schedule" | "rarerPairs"
>;

const imported = [
  "rate-source",
  rateSource({ key: IMPORT_SOURCE, name: "Imported by the operator" }),
];

/** Of an import, or of a source that this version does not know. */
const unnamed = (source: string) => (source === IMPORT_SOURCE ? imported : ["rate-source", source]);

/**
 * @param sources every known source: a store may have rates of those that are switched off.
 * @param signingKey returns the key that signs; by default none does.
 */
export function createHeadersOf(
  sources: readonly HeaderSource[],
  signingKey: () => SigningKey | undefined = () => undefined,
): HeadersOf {
  const bySource = new Map(sources.map((source) => [source.key, forSource(source)]));
  const unsigned = (rate: SourcedRate) => bySource.get(rate.source)?.(rate) ?? unnamed(rate.source);
  const stored = (headers: readonly string[], key?: SigningKey): StoredHeaders => ({
    json: JSON.stringify(headers),
    signingKey: key && { id: key.id, publicKey: key.publicKey },
  });
  let last: { readonly headers: readonly string[]; readonly stored: StoredHeaders } | undefined;
  /** The rates of one publication have the same list, so the last result is kept. */
  const storedUnsigned = (rate: SourcedRate) => {
    const headers = unsigned(rate);
    if (last?.headers !== headers) last = { headers, stored: stored(headers) };
    return last.stored;
  };
  const one: HeadersOf["rate"] = (rate, signedAt) => {
    const key = signingKey();
    if (key === undefined) return storedUnsigned(rate);
    const headers = unsigned(rate);
    return stored([...headers, ...key.sign(contentOf(rate, headers, signedAt))], key);
  };
  return {
    rate: one,
    async rates(rates, signedAt) {
      const key = signingKey();
      if (key === undefined) return storedUnsigned;
      const signed = new Map<SourcedRate, StoredHeaders>();
      const sign = async (rate: SourcedRate) => {
        const headers = unsigned(rate);
        const signature = await key.signLater(contentOf(rate, headers, signedAt));
        signed.set(rate, stored([...headers, ...signature], key));
      };
      const lastOfPairs = new Map(rates.map((rate) => [pairName(rate), rate]));
      await Promise.all(lastOfPairs.values().map(sign));
      return (rate) => signed.get(rate) ?? one(rate, signedAt);
    },
  };
}

/** @param headers begin with Rate-Source. */
function contentOf(
  rate: SourcedRate,
  [, rateSource = ""]: readonly string[],
  signedAt: string,
): SignedContent {
  const createdSeconds = Math.floor(Date.parse(signedAt) / 1000);
  return { body: rateBody(rate), rateSource, createdSeconds };
}

/** The rates of one publication have one time, so the last result is kept. */
function forSource(source: HeaderSource): (rate: SourcedRate) => readonly string[] {
  const { termsUrl } = source;
  const constant = ["rate-source", rateSource(source)];
  if (termsUrl !== undefined) constant.push("link", `<${termsUrl}>; rel="license"`);
  let last:
    | { readonly asOf: string; readonly schedule: Schedule; readonly headers: readonly string[] }
    | undefined;
  return (rate) => {
    const { asOf } = rate;
    const schedule = scheduleOf(source, rate);
    if (last?.asOf !== asOf || last.schedule !== schedule) {
      const nextMs = schedule.following(Date.parse(asOf));
      const next = nextMs === undefined ? [] : ["rate-next", wholeSeconds(nextMs)];
      last = { asOf, schedule, headers: [...constant, ...next] };
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
