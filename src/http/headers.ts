/**
 * What every answer of the API carries: never cached, never framed, never sniffed (OWASP REST
 * Security Cheat Sheet). A table of our own instead of a plugin: these stand on the way of every
 * metered read.
 */
export const commonHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/**
 * What the pages for people carry instead: everything they need comes from here, and no script or
 * style stands in a document. The images in the API reference's styles are `data:`.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...commonHeaders,
  "content-security-policy": [
    "default-src 'self'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/** Added where the service is reached over TLS. */
export const transportHeaders: Readonly<Record<string, string>> = {
  "strict-transport-security": "max-age=31536000",
};

/** Any origin, without credentials; only an answer to a page's request needs them. */
export const corsHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy",
};

/** Added to the answer of a preflight. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  ...corsHeaders,
  "access-control-allow-headers":
    "Authorization, Content-Type, Accept, " +
    "Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name",
  "access-control-max-age": "86400",
};
