// The grammar of fast-path requests. Header names and schemes are case-insensitive.

/** Headers that change neither the response nor the request's framing. */
const ignoredHeaders = [
  "user-agent",
  "accept-(?:encoding|language)",
  "cache-control",
  "pragma",
  "priority",
  "dnt",
  "via",
  "forwarded",
  "x-forwarded-(?:for|host|port|proto)",
  "x-real-ip",
  "x-request-id",
  "traceparent",
  "tracestate",
  "sec-(?:fetch|ch-ua)[a-z-]*",
].join("|");

/** Printable ASCII: node:http handles header values with other bytes. */
const VALUE = "[ -~]*";

/**
 * A header of these names, or `Connection: keep-alive`. Every line matches in one way only: if a
 * space could belong to the separator or to the value, the regular expression would try both for
 * every line; 24 headers then took 240 ms, and each further one doubled it.
 */
export function headersNamed(...names: readonly string[]): string {
  const name = [ignoredHeaders, ...names].join("|");
  return `(?i:(?:${name}):${VALUE}\\r\\n|connection: keep-alive\\r\\n)`;
}

/** A Host header with a host and an optional port; node:http handles other forms. */
export const HOST_HEADER =
  "(?i:host): ?(?:[a-zA-Z0-9._-]+|\\[[0-9a-fA-F:.]+\\])(?::[0-9]{1,5})?\\r\\n";

/** Requires such a Host header (RFC 9112, section 3.2). */
export const WITH_HOST = `(?=(?:[^]*\\n)?${HOST_HEADER})`;

/** The header of one API key; node:http trims white space around it. */
export const API_KEY_HEADER = "(?i:authorization: ApiKey) ([!-~]+)\\r\\n";
