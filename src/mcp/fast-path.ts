import {
  API_KEY_HEADER,
  endsConnection,
  HOST_HEADER,
  harmlessHeader,
  hasOrigin,
  WITH_HOST,
} from "../http/fast-path/grammar.ts";
import type { ParsePlainRequest } from "../http/fast-path/plain-request.ts";
import { serviceOverloaded } from "../shared/failure.ts";
import type { RespondToMcp } from "./http.ts";
import type { OriginCheck } from "./origin-check.ts";

/** The parts of a request with a message of the Model Context Protocol. */
export interface PlainMcpRequest {
  /** Whether the client wants the connection closed after the response. */
  readonly isLast: boolean;
  readonly hasOrigin: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey: string;
  readonly body: string;
}

/** node:http, which enforces every limit, handles longer ones. */
const BYTES_MAX = 8192;

const END_OF_HEAD = Buffer.from("\r\n\r\n");

const others = `(?:${harmlessHeader("content-(?:type|encoding)")}|${[
  HOST_HEADER,
  "(?i:content-type): application/json(?:; ?charset=utf-8)?\\r\\n",
  "(?i:content-length): [0-9]{1,4}\\r\\n",
].join("|")})*`;

const plainHead = new RegExp(
  `^POST /v1/mcp HTTP/1\\.([01])\\r\\n${WITH_HOST}${others}${API_KEY_HEADER}${others}\\r\\n$`,
);

/**
 * Recognises the plainest form of a message: the bytes are one complete POST of JSON with its
 * length, whose headers are all known and occur once.
 *
 * @returns `undefined` for everything else, which node:http parses.
 */
export function parsePlainMessage(bytes: Buffer): PlainMcpRequest | undefined {
  const bodyStart = bytes.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
  if (bodyStart < END_OF_HEAD.length || bytes.length > BYTES_MAX) return undefined;
  const head = bytes.toString("latin1", 0, bodyStart);
  const [, minorVersion = "1", apiKey] = plainHead.exec(head) ?? [];
  if (apiKey === undefined) return undefined;
  const headers = headersOf(head);
  if (headers === undefined || headers["content-type"] === undefined) return undefined;
  if (headers["content-length"] !== String(bytes.length - bodyStart)) return undefined;
  return {
    isLast: endsConnection(head, minorVersion),
    hasOrigin: hasOrigin(head),
    headers,
    apiKey,
    body: bytes.toString("utf8", bodyStart),
  };
}

/** @returns the headers by lower-case name; `undefined` when one occurs twice. */
function headersOf(head: string): Record<string, string> | undefined {
  const headers: Record<string, string> = Object.create(null);
  const [, ...lines] = head.split("\r\n");
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon === -1) continue;
    const name = line.slice(0, colon).toLowerCase();
    if (name in headers) return undefined;
    headers[name] = line.slice(colon + 1).trim();
  }
  return headers;
}

const MCP_ROUTE = "/v1/mcp";

/** Recognises a message in its plainest form, from an allowed origin. */
export function createMessageParser(deps: {
  readonly respondToMcp: RespondToMcp;
  readonly checkOrigin: OriginCheck;
}): ParsePlainRequest {
  const { respondToMcp, checkOrigin } = deps;
  return (bytes) => {
    const message = parsePlainMessage(bytes);
    if (message === undefined || !isAllowed(checkOrigin, message.headers)) return undefined;
    const { headers, body, apiKey, isLast, hasOrigin: withCors } = message;
    const respond = (requestId: string) => respondToMcp({ headers, body, apiKey, requestId });
    return {
      method: "POST",
      isLast,
      hasOrigin: withCors,
      route: MCP_ROUTE,
      respond,
      overloadFailure: serviceOverloaded,
    };
  };
}

/** Whether the check accepts the request. If not, the route rejects it with the reason. */
function isAllowed(check: OriginCheck, headers: Readonly<Record<string, string>>): boolean {
  try {
    check({ headers });
    return true;
  } catch {
    return false;
  }
}
