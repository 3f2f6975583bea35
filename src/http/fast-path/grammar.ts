// What the lane's requests may carry. In headers, names and schemes have no case.

/** Names of headers that change nothing in an answer, nor where the request ends. */
const harmless = [
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

/** Printable ASCII: what has other bytes in its values is for node:http to judge. */
const VALUE = "[ -~]*";

/**
 * A header of these names, or that the connection stays. Every line fits in one way only: a space
 * that could be the separator's or the value's would be tried as both, line by line; 24 headers
 * then took 240 ms, and each one more doubled it.
 */
export function headersNamed(...names: readonly string[]): string {
  const name = [harmless, ...names].join("|");
  return `(?i:(?:${name}):${VALUE}\\r\\n|connection: keep-alive\\r\\n)`;
}

/** A Host that names a host, and perhaps a port; other forms are for node:http to judge. */
export const HOST_HEADER =
  "(?i:host): ?(?:[a-zA-Z0-9._-]+|\\[[0-9a-fA-F:.]+\\])(?::[0-9]{1,5})?\\r\\n";

/** That there is such a Host, which a request must have (RFC 9112, section 3.2). */
export const WITH_HOST = `(?=(?:[^]*\\n)?${HOST_HEADER})`;

/** The header of one API key. White space around it is for node:http to trim. */
export const API_KEY_HEADER = "(?i:authorization: ApiKey) ([!-~]+)\\r\\n";
