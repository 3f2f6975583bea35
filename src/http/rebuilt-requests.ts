import type { IncomingMessage as Request } from "node:http";
import type { Socket } from "node:net";
import { IncomingMessage, METHODS } from "./node-http.ts";

/** An error of Node's parser (nodejs.org/api/http.html, event `clientError`). */
export interface ParserError extends Error {
  readonly code?: string;
  /** The packet that it stopped in. */
  readonly rawPacket?: Buffer;
  /** Where it stopped in the packet. */
  readonly bytesParsed?: number;
}

/** The parser's errors for bytes that may still be a valid request. */
export const unknownToParser: ReadonlySet<string> = new Set([
  "HPE_INVALID_METHOD",
  "HPE_INVALID_URL",
]);

const HEAD_BYTES_MAX = 16 * 1024;
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

const tokenOnly = new RegExp(`^(?:${TOKEN})?$`);

const wholeHead = new RegExp(
  `^(${TOKEN}) ([^\\0- \\x7f]+) HTTP/1\\.([01])\\r\\n((?:${TOKEN}:[^\\r\\n\\0]*\\r\\n)*)\\r\\n`,
);

const announcesBody = /^(?:content-length|transfer-encoding):/im;

/** A method that the router knows and no path has. */
const UNUSED_METHOD = "TRACE";

/**
 * Rebuilds a request that Node's parser rejects although HTTP leaves the decision to the service:
 * with a method that Node does not know (RFC 9110, section 9.1: any token), or with bytes beyond
 * ASCII in its target, as browsers' address bars and careless clients send them. These bytes become
 * escapes.
 *
 * @returns `undefined` unless the packet contains the whole request: its head, without a body.
 */
export function rebuildRequest(error: ParserError, socket: Socket): Request | undefined {
  const { code, rawPacket, bytesParsed = 0 } = error;
  const packet = rawPacket?.toString("latin1") ?? "";
  // The parser stops in the method or in the target. An earlier body may end in the same line.
  const start = packet.lastIndexOf("\n", bytesParsed - 1) + 1;
  const isMethod = code === "HPE_INVALID_METHOD";
  const parsed = packet.slice(start, bytesParsed);
  if (isMethod ? !tokenOnly.test(parsed) : !METHODS.includes(parsed.split(" ", 1)[0] ?? "")) {
    return undefined;
  }
  const head = packet.slice(start, start + HEAD_BYTES_MAX);
  const [, token, target, minor, lines] = wholeHead.exec(head) ?? [];
  if (token === undefined || target === undefined || lines === undefined) return undefined;
  if (!isMethod && announcesBody.test(lines)) return undefined;

  const request = new IncomingMessage(socket);
  request.method = isMethod ? UNUSED_METHOD : token;
  request.url = target.replace(/[^!-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  request.httpVersion = `1.${minor}`;
  request.httpVersionMajor = 1;
  request.httpVersionMinor = minor === "0" ? 0 : 1;
  addHeaders(request, lines.split("\r\n").slice(0, -1));
  request.complete = true;
  request.push(null);
  return request;
}

/** Joins the values of a repeated header (RFC 9110, section 5.3). */
function addHeaders(request: Request, lines: readonly string[]): void {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    const key = name.toLowerCase();
    request.rawHeaders.push(name, value);
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  }
  request.headers = headers;
}
