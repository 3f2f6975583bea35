import type { IncomingMessage } from "node:http";

/**
 * Whether a request has a header more than once. Node's `headers` keeps the first of those that
 * must be single, such as Host and Authorization, and drops the others, hence `rawHeaders`.
 *
 * @param name in lower case.
 */
export function isRepeated(
  { rawHeaders }: Pick<IncomingMessage, "rawHeaders">,
  name: string,
): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const other = rawHeaders[index] ?? "";
    if (other.length === name.length && other.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/**
 * The headers of every API response: never cached, never framed, never sniffed (OWASP REST Security
 * Cheat Sheet). A table instead of a plugin, because every metered read sends them
 * (docs/decisions/0002-own-headers-and-responses.md).
 */
export const commonHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** The headers of pages: this server has all their resources, no script or style is inline. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...commonHeaders,
  "content-security-policy": [
    "default-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/** Added when clients connect over TLS. */
export const transportHeaders: Readonly<Record<string, string>> = {
  "strict-transport-security": "max-age=31536000",
};

/** The header that says what a read cost. */
export const UNITS_CHARGED = "units-charged";

/** Those of a read that was rejected before its charge: alternating names and values. */
export const unchargedHeaders: readonly string[] = [UNITS_CHARGED, "0"];

/** Any origin, without credentials. Only responses to requests with an Origin need them. */
export const corsHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "X-Request-Id, Retry-After, Units-Charged, RateLimit, RateLimit-Policy, " +
    "Rate-Source, Rate-Next, Rate-Missed, Rate-Document, Memento-Datetime, Link, " +
    "Content-Digest, Signature-Input, Signature, Statement-Signature, ETag",
};

/** Added to a preflight response: alternating names and values. */
export const preflightHeaders: readonly string[] = [
  "access-control-allow-headers",
  "Authorization, Content-Type, Accept, Accept-Datetime, If-None-Match, " +
    "Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name",
  "access-control-max-age",
  "86400",
];
