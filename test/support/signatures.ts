import assert from "node:assert/strict";
import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";
import { verifySignature, webcrypto } from "http-message-sig";
import { createVerifier, httpbis } from "http-message-signatures";
import { parseSigningKey } from "../../src/rates/served/signing/ed25519.ts";
import type { SigningKey } from "../../src/rates/served/signing-key.ts";
import type { Answer, Client } from "./client.ts";

/** @returns a new private key as a PEM text. */
export function newKeyPem(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

export function newSigningKey(): SigningKey {
  const key = parseSigningKey(newKeyPem());
  assert.ok(!("reason" in key));
  return key;
}

/** A member of a JSON Web Key Set. */
export type Jwk = Readonly<Record<"kty" | "crv" | "x" | "kid" | "alg" | "use", string>>;

/** Reads the public keys that a node lists. */
export async function publicKeysOf(client: Pick<Client, "get">): Promise<readonly Jwk[]> {
  const { status, body } = await client.get("/.well-known/jwks.json");
  assert.equal(status, 200);
  return body.keys as readonly Jwk[];
}

/** The part of a response that a signature covers, and the signature. */
export type Signed = Pick<Answer, "status" | "headers" | "text">;

/** In seconds. Tests have clocks of their own, and no signature is too old. */
const NOW = Date.UTC(2100, 0) / 1000;

const REQUIRED = ["content-digest", "rate-source"];

/**
 * Whether a response is genuine, by two programs that have nothing in common with this one.
 *
 * @param sent the request's headers, which the signature of a past rate covers.
 */
export async function isGenuine(
  answer: Signed,
  keys: readonly Jwk[],
  sent: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const results = [
    await verifiedByMessageSignatures(answer, keys, sent),
    await verifiedByMessageSig(answer, keys, sent),
  ];
  assert.equal(results[0], results[1], "the two verifiers disagree");
  return digestMatches(answer) && results[0] === true;
}

/** RFC 9530. */
function digestMatches({ headers, text }: Signed): boolean {
  const digest = createHash("sha256").update(text).digest("base64");
  return headers["content-digest"] === `sha-256=:${digest}:`;
}

async function verifiedByMessageSignatures(
  { status, headers }: Signed,
  keys: readonly Jwk[],
  sent: Readonly<Record<string, string>>,
): Promise<boolean> {
  const keyLookup = async ({ keyid }: { readonly keyid?: string }) => {
    const jwk = keys.find(({ kid }) => kid === keyid);
    if (jwk === undefined) return null;
    const verify = createVerifier(createPublicKey({ key: { ...jwk }, format: "jwk" }), "ed25519");
    return { id: jwk.kid, algs: ["ed25519"], verify };
  };
  const required = { requiredFields: REQUIRED, requiredParams: ["created", "keyid"] };
  const how = { keyLookup, notAfter: NOW, ...required };
  const request = { method: "GET", url: "http://localhost/", headers: sent };
  return (await httpbis.verifyMessage(how, { status, headers: { ...headers } }, request)) === true;
}

async function verifiedByMessageSig(
  { status, headers }: Signed,
  keys: readonly Jwk[],
  sent: Readonly<Record<string, string>>,
): Promise<boolean> {
  const fieldsOf = (of: object) => Object.entries(of).map(([name, value]) => ({ name, value }));
  const target = { kind: "request", method: "GET", targetUri: "http://localhost/" } as const;
  const request = { ...target, fields: fieldsOf(sent) };
  const required = { requiredComponents: REQUIRED, requiredParameters: ["created", "keyid"] };
  try {
    await verifySignature(
      { kind: "response", status, fields: fieldsOf(headers), request },
      {
        label: "kurs",
        policy: { algorithms: ["ed25519"], now: NOW, ...required },
        async resolveVerifier({ parameters }) {
          const {
            kty = "",
            crv = "",
            x = "",
          } = keys.find(({ kid }) => kid === parameters.keyid) ?? {};
          const jwk = { kty, crv, x };
          const key = await crypto.subtle.importKey("jwk", jwk, "Ed25519", true, ["verify"]);
          return webcrypto.verifier(key);
        },
      },
    );
    return true;
  } catch {
    return false;
  }
}
