import { randomUUIDv7 } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { Failure } from "../shared/failure.ts";
import type { ObserveResponse } from "./access-log.ts";
import type { Exchanges } from "./exchanges.ts";
import { ServerResponse } from "./node-http.ts";
import { type ParserError, rebuildRequest, unknownToParser } from "./rebuilt-requests.ts";
import { errorResponse } from "./response/response.ts";
import type { SerializeResponse } from "./response/serialize.ts";

const failureOfError: Readonly<Record<string, Failure>> = {
  HPE_HEADER_OVERFLOW: new Failure(
    "payload_too_large",
    "The request's headers are larger than 16 KiB.",
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new Failure("invalid_request", "The request was not complete in time."),
};

const malformed = new Failure("invalid_request", "The request is not valid HTTP/1.1.");

const connectRejected = new Failure("method_not_allowed", "This server is no proxy.");

/** Time for a client to read a last response: closing on unread data would reset the connection. */
const LINGER_MS = 1000;

/**
 * Writes a failure on a socket as its last response, and closes it.
 *
 * @param headers further headers, alternating names and values.
 */
export type CloseWithError = (
  socket: Duplex,
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
    const response = errorResponse(failure, requestId, "Session", headers);
    const { status, code } = response;
    log.info({ request_id: requestId, status, code });
    observe?.(malformedRequest, status, code);
    endGently(socket, serialize(response, requestId, "server"));
  };
}

/** Ends a connection, discards what the client still sends, and closes it after LINGER_MS. */
function endGently(socket: Duplex, text = ""): void {
  // A client may reset the connection at any time, and this may be the only error listener.
  socket.on("error", () => undefined);
  socket.end(text);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Responds to requests that Node's server does not pass to the router: CONNECT, and requests that
 * are malformed, too slow or have too large headers. The response follows those to earlier
 * requests, and the connection closes: the start of the next request is unknown.
 */
export function handleConnectAndExpect(
  server: Server,
  deps: { readonly closeWithError: CloseWithError; readonly exchanges: Exchanges },
): void {
  const { closeWithError, exchanges } = deps;
  const failed = new WeakSet<Socket>();

  server.on("clientError", (error: ParserError, stream: Duplex) => {
    const socket = stream as Socket;
    const { code = "" } = error;
    if (!/^(?:HPE|ERR_HTTP)_/.test(code)) socket.destroy();
    // The parser reports the same error again for data that arrives later. Data after a request
    // with `Connection: close` must not be processed (RFC 9112, section 9.6).
    if (failed.has(socket) || !socket.writable || code === "HPE_CLOSED_CONNECTION") return;
    failed.add(socket);
    const request = unknownToParser.has(code) ? rebuildRequest(error, socket) : undefined;
    exchanges.afterResponses(socket, (hasResponse) => {
      if (hasResponse) endGently(socket);
      else if (request === undefined) closeWithError(socket, failureOfError[code] ?? malformed);
      else serveAlone(server, request);
    });
  });

  server.on("connect", (request: IncomingMessage, stream: Duplex) => {
    const { socket } = request;
    // Node has removed its own listeners, and the client may reset the connection at any time.
    for (const end of [socket, stream]) end.on("error", () => undefined);
    exchanges.afterResponses(socket, () => closeWithError(stream, connectRejected, ["allow", ""]));
  });

  // RFC 9110, section 10.1.1: an expectation that is not understood may be ignored.
  server.on("checkExpectation", (request, response) => {
    server.emit("request", request, response);
  });
}

/** Serves a request that no parser delivered, as the last one of its connection. */
function serveAlone(server: Server, request: IncomingMessage): void {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => endGently(socket));
  server.emit("request", request, response);
}
