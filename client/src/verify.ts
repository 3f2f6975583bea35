// Verifies the signature of a rate (RFC 9421) with Web Crypto: docs/proof.md says what it proves.

import { addressOf } from "./address.ts";
import { type At, acceptDatetimeOf } from "./at.ts";

/** A public key of the service, from /.well-known/jwks.json (RFC 7517). */
export interface PublicKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly kid: string;
}

/** What a signature covers: a result of `rates.get`, or what a program stored of one. */
export interface SignedResponse {
  readonly response: { readonly headers: Pick<Headers, "get"> };
  /** The body's text, exactly as it came. */
  readonly body: string;
}

/** The pair that the program read. */
export interface Pair {
  readonly base: string;
  readonly quote: string;
  /** The past time that it asked for; undefined for the newest rate. */
  readonly at?: At | undefined;
}

/**
 * Why a response proves nothing. `another time`: only one of the request and the signature has a
 * past time. Where both have one, and not the same, it is `forged`: the response does not state it.
 */
export type Doubt =
  | "unsigned"
  | "unknown key"
  | "another body"
  | "another pair"
  | "another time"
  | "forged";

export type Verification =
  | { readonly isGenuine: true; readonly keyId: string; readonly signedAt: Date }
  | { readonly isGenuine: false; readonly reason: Doubt };

const COMPONENTS = /\("content-digest" "rate-source"(?: ("accept-datetime";req))?\)/;
const PARAMETERS = /;created=(\d{1,12});keyid="([\w-]+)";alg="ed25519"/;
/** As Kurs writes it; other labels may stand beside its own. */
const INPUT = new RegExp(`(?:^|,\\s*)kurs=(${COMPONENTS.source}${PARAMETERS.source})\\s*(?:,|$)`);
const SIGNATURE = /(?:^|,\s*)kurs=:([A-Za-z0-9+/]{86}==):\s*(?:,|$)/;

/**
 * Gets the public keys of a service. Keys fetched beside a response prove no more than TLS does:
 * keep them, or get them from the operator in another way.
 *
 * @param url the address of the service.
 * @throws when the service does not return them.
 */
export async function fetchKeys(
  url: string,
  options: { readonly fetch?: typeof fetch; readonly signal?: AbortSignal } = {},
): Promise<readonly PublicKey[]> {
  const { fetch: get = (...request) => fetch(...request), signal = null } = options;
  const address = `${addressOf(url)}/.well-known/jwks.json`;
  const response = await get(address, { signal });
  if (!response.ok) throw new Error(`${address}: status ${response.status}`);
  const { keys } = (await response.json()) as { readonly keys?: readonly PublicKey[] };
  if (!Array.isArray(keys)) throw new Error(`${address}: it has no keys`);
  return keys;
}

/**
 * Whether a response is as the holder of a key signed it, and is about the pair.
 *
 * @param keys those that the program trusts.
 * @throws for an `at` that is no time, and where the runtime has no Ed25519 in Web Crypto; a
 *   browser has it under https only.
 */
export async function verify(
  { response: { headers }, body }: SignedResponse,
  keys: readonly PublicKey[],
  pair: Pair,
): Promise<Verification> {
  const [, parameters, ofTime, created, keyId = ""] =
    INPUT.exec(headers.get("signature-input") ?? "") ?? [];
  const [, signature] = SIGNATURE.exec(headers.get("signature") ?? "") ?? [];
  const source = headers.get("rate-source");
  if (parameters === undefined || signature === undefined || source === null) {
    return doubt("unsigned");
  }
  const key = keys.find(({ kid }) => kid === keyId);
  if (key === undefined) return doubt("unknown key");
  const digest = `sha-256=:${toBase64(await crypto.subtle.digest("SHA-256", bytesOf(body)))}:`;
  if (headers.get("content-digest") !== digest) return doubt("another body");
  const { base: ofBase, quote: ofQuote, at } = pair;
  if ((ofTime === undefined) !== (at === undefined)) return doubt("another time");
  const signed = [
    `"content-digest": ${digest}`,
    `"rate-source": ${source}`,
    ...(at === undefined ? [] : [`${ofTime}: ${acceptDatetimeOf(at)}`]),
    `"@signature-params": ${parameters}`,
  ].join("\n");
  const isSigned = await crypto.subtle.verify(
    "Ed25519",
    await importKey(key),
    fromBase64(signature),
    bytesOf(signed),
  );
  if (!isSigned) return doubt("forged");
  const { base, quote } = JSON.parse(body) as Pair;
  if (base !== stored(ofBase) || quote !== stored(ofQuote)) return doubt("another pair");
  return { isGenuine: true, keyId, signedAt: new Date(Number(created) * 1000) };
}

const doubt = (reason: Doubt): Verification => ({ isGenuine: false, reason });

/** A symbol as the service stores it. */
const stored = (symbol: string): string => symbol.trim().toUpperCase();

function importKey({ kty, crv, x }: PublicKey): Promise<CryptoKey> {
  return crypto.subtle.importKey("jwk", { kty, crv, x }, "Ed25519", false, ["verify"]);
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

const toBase64 = (buffer: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)));

const fromBase64 = (text: string) =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
