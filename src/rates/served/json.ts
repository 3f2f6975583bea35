import type { Static } from "typebox";
import { Type } from "../../platform/shared/json-schema.ts";
import type { Rate } from "./rules/rate.ts";
import type { PublicSigningKey } from "./signing-key.ts";
import type { Contradiction, HeldRate, RemovedRate, StoredRate } from "./store.ts";

// The JSON that the commands print with --json.

export function storedRateJson({ source, suspendedAt, ...rate }: StoredRate) {
  return { ...rateJson(rate), source, suspended_at: suspendedAt ?? null };
}

export function heldRateJson({ heldAt, servedRate, ...rate }: HeldRate | Contradiction) {
  const held = { held_at: heldAt, served_rate: servedRate ?? null };
  const common = { ...rateJson(rate), source: rate.source, ...held };
  if (!("document" in rate)) {
    const { disagreement } = rate;
    if (disagreement === undefined) return { ...common, reason: "jump" };
    return { ...common, reason: "disagreement", ...disagreement };
  }
  const { kind, date, validUntil = null, document = null, line = null } = rate;
  const place = { kind, date, valid_until: validUntil, document, line };
  return { ...common, reason: rate.isJump ? "jump" : "contradiction", ...place };
}

/** With the members of a line of NDJSON, so that `kurs rates import` reads it. */
export function removedRateJson({ rate, held }: RemovedRate) {
  const heldRate = held && { rate: held.rate, as_of: held.asOf, source: held.source };
  return { ...storedRateJson(rate), held_rate: heldRate ?? null };
}

export const RateSchema = Type.Object(
  {
    base: Type.String({ pattern: "^[A-Z0-9]{2,10}$", examples: ["EUR"] }),
    quote: Type.String({ pattern: "^[A-Z0-9]{2,10}$", examples: ["USD"] }),
    rate: Type.String({
      pattern: "^(0|[1-9][0-9]*)(\\.[0-9]+)?$",
      description: "Exact decimal, digit by digit as its publisher wrote it",
      examples: ["1.1476"],
    }),
    as_of: Type.String({
      format: "date-time",
      description: "The publisher's time in UTC, to the nanosecond",
      examples: ["2026-03-13T15:00:00.000000000Z"],
    }),
    type: Type.Literal("direct"),
  },
  { $id: "Rate" },
);

const PublicKeysSchema = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.Literal("OKP"),
        crv: Type.Literal("Ed25519"),
        x: Type.String({
          description: "The key's 32 bytes in base64url",
          examples: ["sA4uubOjBIvJ-kakBuT43WfHemzcYMLFZKtlfjKJWfk"],
        }),
        kid: Type.String({
          description: "The keyid of its signatures: its thumbprint (RFC 7638)",
          examples: ["dMGhAho72VE7zs3On-OKNFVp3GXPgZABX1EjMU0EfZ8"],
        }),
        alg: Type.Literal("EdDSA"),
        use: Type.Literal("sig"),
      }),
    ),
  },
  { $id: "PublicKeys" },
);

/** Every schema here that responses refer to by name. */
export const rateSchemas = [RateSchema, PublicKeysSchema];

export function rateJson({ base, quote, rate, asOf }: Rate): Static<typeof RateSchema> {
  return { base, quote, rate, as_of: asOf, type: "direct" };
}

/** A JSON Web Key Set (RFC 7517, RFC 8037). */
export function publicKeysJson(keys: readonly PublicSigningKey[]): Static<typeof PublicKeysSchema> {
  return {
    keys: keys.map(({ id, publicKey }) => ({
      kty: "OKP",
      crv: "Ed25519",
      x: publicKey,
      kid: id,
      alg: "EdDSA",
      use: "sig",
    })),
  };
}
