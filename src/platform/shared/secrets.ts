import { hash, randomBytes, randomUUIDv7 } from "node:crypto";
import { SECRET_BYTES } from "./text/credentials.ts";

/** Randomness, and digests of credentials. */
export interface Secrets {
  /** A UUIDv7 (RFC 9562): its order is the order of creation. */
  uuid(): string;
  /** 32 random bytes as 64 lowercase hexadecimal digits. */
  secret(): string;
  /** SHA-256 of a credential in hexadecimal: the only form in which one is stored. */
  hash(credential: string): string;
}

/** Uses the operating system's randomness. */
export function createSecrets(): Secrets {
  return {
    uuid: createUuids(),
    secret: () => randomBytes(SECRET_BYTES).toString("hex"),
    hash: (credential) => hash("sha256", credential),
  };
}

/**
 * Makes UUIDv7s, each greater than the last, also within one millisecond (RFC 9562, section 6.2,
 * method 2): the order of ids is the order of creation.
 */
function createUuids(): () => string {
  let last = "";
  return () => {
    const next = randomUUIDv7();
    last = next > last ? next : increment(last);
    return last;
  };
}

/** Adds one to the last 48 of the random bits. */
function increment(uuid: string): string {
  const tail = Number.parseInt(uuid.slice(-12), 16) + 1;
  return uuid.slice(0, -12) + tail.toString(16).padStart(12, "0");
}
