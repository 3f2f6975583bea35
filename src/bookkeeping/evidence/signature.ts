import { createPublicKey } from "node:crypto";
import type { SigningKey } from "../../rates/served/signing-key.ts";
import { type Evidence, type EvidenceList, serialize } from "./format.ts";

// The signature is a JWS (RFC 7515, appendix F) of the file's own bytes: all but its last two
// lines, which have the signature. So a person reads what is signed, and OpenSSL verifies it.

const LAST_MEMBER = '\n  "signature": ';

const NOTE =
  "Anyone can make a key and sign with it: compare this one with the key that the operator " +
  "published at /.well-known/jwks.json";

/** @returns the file with the key's public part and its signature; without a key, unsigned. */
export async function withSignature<File extends Evidence | EvidenceList>(
  evidence: Omit<File, "signing_key" | "signature">,
  key: SigningKey | undefined,
): Promise<File> {
  if (key === undefined) return { ...evidence, signing_key: null, signature: null } as File;
  const jwk = { kty: "OKP", crv: "Ed25519", x: key.publicKey } as const;
  const { id: kid } = key;
  const signingKey = { kid, jwk, spki_base64: exportSpki(jwk), note: NOTE };
  const unsigned = { ...evidence, signing_key: signingKey, signature: null } as File;
  return { ...unsigned, signature: await key.signDetached(signedPart(serialize(unsigned))) };
}

/** The bytes that the signature covers: the lines before the one that has it. */
function signedPart(file: string): Uint8Array {
  return Buffer.from(file.slice(0, file.lastIndexOf(LAST_MEMBER) + 1));
}

/** A public key of Ed25519 as a JSON Web Key has it (RFC 8037). */
type PublicJwk = NonNullable<Evidence["signing_key"]>["jwk"];

/** SubjectPublicKeyInfo in base64, as OpenSSL reads it. @throws when `x` is no key. */
function exportSpki(jwk: PublicJwk): string {
  const key = createPublicKey({ key: jwk, format: "jwk" });
  return key.export({ type: "spki", format: "der" }).toString("base64");
}

/** Whether the members of the key in a file are of one and the same key. */
export async function isOneKey(key: NonNullable<Evidence["signing_key"]>): Promise<boolean> {
  const { calculateJwkThumbprint } = await import("jose");
  try {
    const kid = await calculateJwkThumbprint(key.jwk);
    return kid === key.kid && exportSpki(key.jwk) === key.spki_base64 && key.note === NOTE;
  } catch {
    return false;
  }
}

/** Whether the signature in a file is one of all its other bytes, by the key in it. */
export async function isSigned(evidence: Evidence | EvidenceList): Promise<boolean> {
  const { signature: jws, signing_key: key } = evidence;
  if (jws === null || key === null) return false;
  const [header = "", payload, signature = "", ...rest] = jws.split(".");
  // Bits that base64url ignores would let a file be changed unnoticed.
  const isCanonical = Buffer.from(signature, "base64url").toString("base64url") === signature;
  if (payload !== "" || rest.length > 0 || !isCanonical) return false;
  const { errors, flattenedVerify } = await import("jose");
  try {
    const signed = Buffer.from(signedPart(serialize(evidence))).toString("base64url");
    const publicKey = createPublicKey({ key: key.jwk, format: "jwk" });
    const flattened = { protected: header, payload: signed, signature };
    const options = { algorithms: ["EdDSA"] };
    const { protectedHeader } = await flattenedVerify(flattened, publicKey, options);
    return protectedHeader?.kid === key.kid;
  } catch (error) {
    if (error instanceof errors.JOSEError || isKeyError(error)) return false;
    throw error;
  }
}

const isKeyError = (error: unknown): boolean =>
  String((error as NodeJS.ErrnoException).code).startsWith("ERR_CRYPTO");
