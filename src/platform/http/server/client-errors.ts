import { randomUUIDv7 } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { Failure } from "../../shared/failure.ts";
import type { ObserveResponse } from "../access-log.ts";
import { NAME } from "../fast-path/grammar.ts";
import type { NodeSide } from "../fast-path/node-side.ts";
import { pathOf } from "../request-target.ts";
import { errorResponse } from "../response/response.ts";
import type { SerializeResponse } from "../response/serialize.ts";
import type { Rejection, RejectUnmatched } from "../unmatched.ts";
import { endGently } from "./end-gently.ts";
import type { Exchanges } from "./exchanges.ts";
import { HEADER_BYTES_MAX } from "./server.ts";

/** An error of Node's parser (nodejs.org/api/http.html, event `clientError`). */
interface ParserError extends Error {
  readonly code?: string;
  /** The packet that it stopped in. */
  readonly rawPacket?: Buffer;
  /** Where it stopped in the packet. */
  readonly bytesParsed?: number;
}

const failureOfError: Readonly<Record<string, Failure>> = {
  HPE_HEADER_OVERFLOW: new Failure(
    "payload_too_large",
    "The request's headers are larger than 16 KiB.",
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new Failure("invalid_request", "The request was not complete in time."),
};

export const malformed = new Failure("invalid_request", "The request is not valid HTTP/1.1.");

const connectRejected: Rejection = {
  failure: new Failure("method_not_allowed", "This server is no proxy."),
  headers: ["allow", ""],
};

/**
 * Writes a failure on a socket as its last response, and closes it.
 *
 * @param headers further headers, alternating names and values.
 */
export type CloseWithError = (
  socket: Socket,
  failure: Failure,
  headers?: readonly string[],
) => void;

/** Bytes that are not a request, as logs and metrics name them. */
const malformedRequest = {
  method: "(other)",
  route: "(malformed)",
  arrivedMs: Number.NaN,
  servedBy: "node_http",
} as const;

export function createCloseWithError(
  serialize: SerializeResponse,
  log: Logger,
  observe?: ObserveResponse,
): CloseWithError {
  return (socket, failure, headers) => {
    const requestId = randomUUIDv7();
    const response = errorResponse(failure, requestId, headers);
    const { status, code } = response;
    log.info({ request_id: requestId, status, code });
    observe?.(malformedRequest, status, code);
    endGently(socket, serialize(response, requestId, "server"));
  };
}

/**
 * Responds to requests that Node's server does not pass to the router: CONNECT, and requests that
 * are malformed, too slow or have too large headers. The response follows those to earlier
 * requests, and the connection closes: the start of the next request is unknown.
 */
export function handleClientErrors(
  server: Server,
  deps: {
    readonly closeWithError: CloseWithError;
    readonly exchanges: Exchanges;
    readonly rejectUnmatched: RejectUnmatched;
  },
): void {
  const { closeWithError, exchanges, rejectUnmatched } = deps;
  const begun = new WeakMap<NodeSide, string>();

  const closeAfterResponses = (side: NodeSide, { failure, headers }: Rejection) =>
    exchanges.cutOff(side, (hasResponse) => {
      const socket = side.release();
      if (hasResponse) endGently(socket);
      else closeWithError(socket, failure, headers);
    });

  server.on("clientError", (error: ParserError, stream: Duplex) => {
    const { code = "", rawPacket } = error;
    if (!/^(?:HPE|ERR_HTTP)_/.test(code)) stream.destroy();
    if (!stream.writable || code === "HPE_CLOSED_CONNECTION") return;
    const side = stream as NodeSide;
    // The rest of the request has arrived, and waits for a client that reads earlier responses.
    if (code === "ERR_HTTP_REQUEST_TIMEOUT" && side.hasWaiting) return;
    const known = { failure: failureOfError[code] ?? malformed };
    if (!methodError.test(code)) return closeAfterResponses(side, known);
    const start = begun.get(side);
    const line =
      start === undefined ? lineOf(side.given, error) : `${start}${rawPacket?.toString("latin1")}`;
    const isLine = line.includes("\n") || line.length > HEADER_BYTES_MAX;
    const isIncomplete = !isLine && (start !== undefined || startOfLine.test(line));
    const target = isIncomplete ? undefined : requestLine.exec(line)?.[1];
    if (target !== undefined) closeAfterResponses(side, rejectUnmatched(pathOf({ url: target })));
    else if (!isIncomplete) closeAfterResponses(side, known);
    // The parser repeats its error with the next packet, but not when the client ends its side.
    else if (start === undefined)
      side.prependOnceListener("end", () => closeAfterResponses(side, known));
    begun.set(side, line);
  });

  server.on("connect", ({ socket }, stream: Duplex) => {
    // Node wraps the connection while a body is to come.
    stream.on("error", () => undefined);
    closeAfterResponses(socket as unknown as NodeSide, connectRejected);
  });
}

/** The parser's errors about a method: an unknown one, and one of another protocol. */
const methodError = /^HPE_INVALID_(?:METHOD|CONSTANT)$/;
const tokenByte = new RegExp(NAME);
const requestLine = new RegExp(`^${NAME} ([^\\0- \\x7f]+) HTTP/1\\.[01]\\r\\n`);
const startOfLine = new RegExp(`^${NAME}(?: [^\\0-\\x1f\\x7f]*\\r?)?$`);

/**
 * @param given to the parser, up to the packet that it stopped in.
 * @returns the line of a request whose method the parser rejects although HTTP allows any token
 *   (RFC 9110, section 9.1), as far as it has arrived.
 */
function lineOf(given: string, { code, rawPacket, bytesParsed = 0 }: ParserError): string {
  let start = given.length - (rawPacket?.length ?? 0) + bytesParsed;
  // A method of another protocol is rejected behind the target.
  if (code === "HPE_INVALID_CONSTANT") {
    start = given.lastIndexOf(" ", given.lastIndexOf(" ", start - 1) - 1);
  }
  while (tokenByte.test(given[start - 1] ?? "")) start -= 1;
  return given.slice(start);
}
