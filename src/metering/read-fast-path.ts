import { API_KEY_HEADER, HOST_HEADER, headersNamed } from "../http/fast-path/grammar.ts";

/** A read of a rate, as it stands in a request. */
export interface ReadRequest {
  readonly base: string;
  readonly quote: string;
  readonly apiKey: string;
}

/** Longer ones are looked at by the server that knows every limit. */
const BYTES_MAX = 2048;

const symbol = "([A-Za-z0-9]{2,10})";
const others = `${headersNamed("accept")}*`;

// One search from the first byte to the last: 0.6 µs, a fourth of what going by lines takes.
const plainRead = new RegExp(
  `^GET /v1/rates/${symbol}/${symbol} HTTP/1\\.1\\r\\n${others}` +
    `(?:${HOST_HEADER}${others}${API_KEY_HEADER}|${API_KEY_HEADER}${others}${HOST_HEADER})` +
    `${others}\\r\\n$`,
);

/**
 * Recognises the plainest form of a read: one whole GET, alone in what has arrived, whose headers
 * are all known to be without effect, but for one Host and one API key.
 *
 * @returns `undefined` for everything else, which is for node:http to read, be it right or wrong:
 *   this knows no errors.
 */
export function parsePlainRead(bytes: Buffer): ReadRequest | undefined {
  if (bytes.length > BYTES_MAX) return undefined;
  const [, base, quote, lastKey, firstKey] = plainRead.exec(bytes.toString("latin1")) ?? [];
  const apiKey = lastKey ?? firstKey;
  if (base === undefined || quote === undefined || apiKey === undefined) return undefined;
  return { base, quote, apiKey };
}
