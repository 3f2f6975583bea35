import {
  endsConnection,
  HOST_HEADER,
  hasOrigin,
  neutralHeader,
  WITH_HOST,
} from "../../platform/http/fast-path/grammar.ts";
import type { ParsePlainRequest } from "../../platform/http/fast-path/plain-request.ts";
import { traceIdOf } from "../../platform/log/trace-context.ts";
import { serviceOverloaded } from "../../platform/shared/failure.ts";
import type { RespondToMcp } from "./http.ts";
import type { OriginCheck } from "./origin-check.ts";
import { MCP_ROUTE } from "./request.ts";
import { isShortCall } from "./short-call.ts";

/** The head of a message without its credential. */
interface PlainHead {
  /** Whether the client wants the connection closed after the response. */
  readonly isLast: boolean;
  readonly hasOrigin: boolean;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The length of the body in bytes. */
  readonly bodyLength: number;
}

/** The parts of a request with a message of the Model Context Protocol. */
export interface PlainMcpRequest {
  readonly head: PlainHead;
  readonly apiKey: string;
  readonly body: string;
}

/** node:http, which enforces every limit, handles longer ones. */
const BYTES_MAX = 8192;

const END_OF_HEAD = Buffer.from("\r\n\r\n");

const others = `(?:${neutralHeader("content-(?:type|encoding)")}|${[
  HOST_HEADER,
  "(?i:content-type): application/json(?:; ?charset=utf-8)?\\r\\n",
  "(?i:content-length): (?:0|[1-9][0-9]{0,3})\\r\\n",
].join("|")})*`;

/** A head without its credential: a second one does not match. */
const plainHead = new RegExp(
  `^POST ${MCP_ROUTE} HTTP/1\\.([01])\\r\\n${WITH_HOST}${others}\\r\\n$`,
);

const credential = /\r\nauthorization: ApiKey ([!-~]+)\r\n/i;

/** Kept heads: at most 1 MB. A program sends the same head with every call, up to its length. */
const KEPT_HEADS_MAX = 500;
const KEPT_HEAD_LENGTH_MAX = 1024;

/**
 * Recognises the plainest form of a message: the bytes are one complete POST of JSON with its
 * length, whose headers are all known and occur once. Returns `undefined` for everything else,
 * which node:http parses.
 *
 * @param isAccepted whether a message with these headers is; node:http rejects the others.
 */
export function createPlainMessageParser(
  isAccepted: (headers: PlainHead["headers"]) => boolean,
): (bytes: Buffer) => PlainMcpRequest | undefined {
  const parseAccepted = (text: string): PlainHead | undefined => {
    const head = parseHead(text);
    return head !== undefined && isAccepted(head.headers) ? head : undefined;
  };
  // Parsing a head takes 6 µs, finding it again 0.5. No credential is kept.
  const kept = new Map<string, PlainHead>();
  const headOf = (text: string): PlainHead | undefined => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const head = parseAccepted(text);
    if (head === undefined || text.length > KEPT_HEAD_LENGTH_MAX) return head;
    if (kept.size >= KEPT_HEADS_MAX) kept.clear();
    kept.set(text, head);
    return head;
  };

  return (bytes) => {
    const bodyStart = bytes.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
    if (bodyStart < END_OF_HEAD.length || bytes.length > BYTES_MAX) return undefined;
    const text = bytes.toString("latin1", 0, bodyStart);
    const found = credential.exec(text);
    const apiKey = found?.[1];
    if (found === null || apiKey === undefined) return undefined;
    // The line's own end is the end of the line before it.
    const lineEnd = found.index + found[0].length - 2;
    const head = headOf(text.slice(0, found.index) + text.slice(lineEnd));
    if (head === undefined || head.bodyLength !== bytes.length - bodyStart) return undefined;
    return { head, apiKey, body: bytes.toString("utf8", bodyStart) };
  };
}

function parseHead(text: string): PlainHead | undefined {
  const minorVersion = plainHead.exec(text)?.[1];
  if (minorVersion === undefined) return undefined;
  const headers = headersOf(text);
  if (headers?.["content-type"] === undefined) return undefined;
  const bodyLength = Number(headers["content-length"]);
  return {
    isLast: endsConnection(text, minorVersion),
    hasOrigin: hasOrigin(text),
    headers,
    bodyLength,
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

/** Recognises a short call of a tool in its plainest form, from an allowed origin. */
export function createMessageParser(deps: {
  readonly respondToMcp: RespondToMcp;
  readonly checkOrigin: OriginCheck;
}): ParsePlainRequest {
  const { respondToMcp, checkOrigin } = deps;
  const parse = createPlainMessageParser((headers) => isAllowed(checkOrigin, headers));
  return (bytes) => {
    const message = parse(bytes);
    if (message === undefined) return undefined;
    const { head, body, apiKey } = message;
    // Responses to other messages may be long: node:http counts them until they are written.
    if (!isShortCall(body)) return undefined;
    const { headers, isLast, hasOrigin: withCors } = head;
    const respond = (requestId: string) => respondToMcp({ headers, body, apiKey, requestId });
    return {
      method: "POST",
      isLast,
      hasOrigin: withCors,
      route: MCP_ROUTE,
      traceId: traceIdOf(headers.traceparent),
      respond,
      overloadFailure: serviceOverloaded,
      failureHeaders: [],
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
