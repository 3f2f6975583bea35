import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
import type { SignedContent, SigningKey } from "../signing-key.ts";

const signLater = promisify(sign);

/**
 * Reads a private key, and shows nothing of it in a reason.
 *
 * @param pem PKCS#8, as `openssl genpkey -algorithm ed25519` writes it.
 */
export function parseSigningKey(pem: string): SigningKey | { readonly reason: string } {
  const label = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(pem)?.[1];
  if (label === undefined) return { reason: "is not in PEM" };
  if (label.includes("ENCRYPTED") || pem.includes("ENCRYPTED")) {
    return { reason: "is encrypted: decrypt it with openssl pkey" };
  }
  if (label === "PUBLIC KEY" || label === "CERTIFICATE")
    return { reason: `begins with a ${label}` };
  const privateKeys = pem.match(/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/g) ?? [];
  if (privateKeys.length > 1) {
    return { reason: `has ${privateKeys.length} private keys instead of one` };
  }
  try {
    const privateKey = createPrivateKey(pem);
    const { asymmetricKeyType: type } = privateKey;
    return type === "ed25519" ? signingKey(privateKey) : { reason: `has a key of type ${type}` };
  } catch {
    return { reason: "cannot be parsed" };
  }
}

function signingKey(privateKey: KeyObject): SigningKey {
  const { x: publicKey = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const id = thumbprintOf(publicKey);
  return {
    id,
    publicKey,
    sign(content) {
      const { base, headersWith } = unsigned(content, id);
      return headersWith(sign(null, base, privateKey));
    },
    async signLater(content) {
      const { base, headersWith } = unsigned(content, id);
      return headersWith(await signLater(null, base, privateKey));
    },
    async signDetached(payload) {
      // Loaded only here: no read needs it.
      const { FlattenedSign } = await import("jose");
      const header = { alg: "EdDSA", kid: id };
      const jws = await new FlattenedSign(payload).setProtectedHeader(header).sign(privateKey);
      return `${jws.protected}..${jws.signature}`;
    },
  };
}

/** RFC 7638: of the members that the key's type requires, in the order of their names. */
function thumbprintOf(publicKey: string): string {
  return hash("sha256", `{"crv":"Ed25519","kty":"OKP","x":"${publicKey}"}`, "base64url");
}

/** The signature base of a response (RFC 9421, section 2.5), and the headers around a signature. */
function unsigned(content: SignedContent, keyId: string) {
  const { body, rateSource, createdSeconds, acceptDatetime } = content;
  const digest = `sha-256=:${hash("sha256", body, "base64")}:`;
  const covered = [
    ['"content-digest"', digest],
    ['"rate-source"', rateSource],
    // Of the request, not of the response (RFC 9421, section 2.4).
    ...(acceptDatetime === undefined ? [] : [['"accept-datetime";req', acceptDatetime]]),
  ];
  const components = covered.map(([component]) => component).join(" ");
  const parameters = `(${components});created=${createdSeconds};keyid="${keyId}";alg="ed25519"`;
  const lines = [...covered, ['"@signature-params"', parameters]].map((line) => line.join(": "));
  const headersWith = (signature: Buffer): readonly string[] => [
    "content-digest",
    digest,
    "signature-input",
    `kurs=${parameters}`,
    "signature",
    `kurs=:${signature.toString("base64")}:`,
  ];
  return { base: Buffer.from(lines.join("\n")), headersWith };
}
