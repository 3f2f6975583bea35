import { wholeSeconds } from "../../platform/shared/instant.ts";
import { type HeadersOf, RATE_NEXT, type StoredHeaders } from "../served/headers.ts";
import { rateBody } from "../served/rules/rate.ts";
import { pairName } from "../served/rules/symbol.ts";
import { isImport, type SourcedRate } from "../served/rules/update-policy.ts";
import type { SignedContent, SigningKey } from "../served/signing-key.ts";
import { type RateSource, type Schedule, scheduleOf } from "./source.ts";

/** What the headers say about a source. */
export type HeaderSource = Pick<
  RateSource,
  "key" | "name" | "termsUrl" | "schedule" | "rarerPairs"
>;

/** Of an import, or of a source that this version does not know. */
function unnamed(source: string): readonly string[] {
  const name = isImport(source) ? "Imported by the operator" : undefined;
  return ["rate-source", rateSource(source, name)];
}

/**
 * @param sources every known source: a store may have rates of those that are switched off.
 * @param signingKey returns the key that signs; by default none does.
 */
export function createHeadersOf(
  sources: readonly HeaderSource[],
  signingKey: () => SigningKey | undefined = () => undefined,
): HeadersOf {
  const bySource = new Map(sources.map((source) => [source.key, forSource(source)]));
  const unsigned = (rate: SourcedRate) =>
    bySource.getOrInsertComputed(rate.source, (source) => {
      const constant = unnamed(source);
      return () => constant;
    })(rate);
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

/** The headers of a source that none of its rates changes. */
function constantOf({ key, name, termsUrl }: HeaderSource): readonly string[] {
  const license = termsUrl === undefined ? [] : ["link", `<${termsUrl}>; rel="license"`];
  return ["rate-source", rateSource(key, name), ...license];
}

/** @returns the headers of a source that none of its rates changes; Rate-Source is the first. */
export function createSourceHeaders(
  sources: readonly HeaderSource[],
): (source: string) => readonly string[] {
  const bySource = new Map(sources.map((source) => [source.key, constantOf(source)]));
  return (source) => bySource.get(source) ?? unnamed(source);
}

/** The rates of one publication have one time, so the last result is kept. */
function forSource(source: HeaderSource): (rate: SourcedRate) => readonly string[] {
  const constant = constantOf(source);
  let last:
    | { readonly asOf: string; readonly schedule: Schedule; readonly headers: readonly string[] }
    | undefined;
  return (rate) => {
    const { asOf } = rate;
    const schedule = scheduleOf(source, rate);
    if (last?.asOf !== asOf || last.schedule !== schedule) {
      const nextMs = schedule.following(Date.parse(asOf));
      const next = nextMs === undefined ? [] : [RATE_NEXT, wholeSeconds(nextMs)];
      last = { asOf, schedule, headers: [...constant, ...next] };
    }
    return last.headers;
  };
}

/** An item of RFC 9651: the source's key, with its publisher's name as a parameter. */
function rateSource(key: string, name: string | undefined): string {
  const item = /^[a-z*][\w:./-]*$/i.test(key) ? key : textItem(key);
  return name === undefined ? item : `${item};name=${textItem(name)}`;
}

/** A string or, beyond ASCII, a display string: every way in sends the same bytes of it. */
function textItem(text: string): string {
  if (/^[ -~]*$/.test(text)) return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
  const escaped = (one: string) => encodeURIComponent(one).toLowerCase();
  return `%"${text.toWellFormed().replaceAll(/[^ -~]|["%]/gu, escaped)}"`;
}
