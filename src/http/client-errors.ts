import { randomUUIDv7 } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { Failure } from "../shared/failure.ts";
import { failureJson } from "../shared/failure-json.ts";
import type { ObserveResponse } from "./access-log.ts";
import type { Exchanges } from "./exchanges.ts";
import { ServerResponse, STATUS_CODES } from "./node-http.ts";
import { type ParserError, rebuildRequest, unknownToParser } from "./rebuilt-requests.ts";
import { statusOf } from "./statuses.ts";

const failureOfError: Readonly<Record<string, Failure>> = {
  HPE_HEADER_OVERFLOW: new Failure(
    "payload_too_large",
    "The request's headers are larger than 16 KiB.",
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new Failure("invalid_request", "The request was not complete in time."),
};

const malformed = new Failure("invalid_request", "The request is not valid HTTP/1.1.");

const connectRefused = new Failure("method_not_allowed", "This server is no proxy.");

/** Time for a client to read a last response: closing on unread data would reset the connection. */
const LINGER_MS = 1000;

/** Writes a failure's envelope on a socket as its last response, and closes it. */
export type CloseWithError = (
  socket: Duplex,
  failure: Failure,
  extra?: Record<string, string>,
) => void;

/** What logs and metrics call bytes that never became a request. */
const malformedRequest = { method: "(other)", route: "(malformed)", arrivedMs: Number.NaN };

export function createCloseWithError(
  headers: Readonly<Record<string, string>>,
  log: Logger,
  observe?: ObserveResponse,
): CloseWithError {
  return (socket, failure, extra = {}) => {
    const { code } = failure;
    const requestId = randomUUIDv7();
    log.info({ request_id: requestId, status: statusOf[code], code });
    observe?.(malformedRequest, statusOf[code], code);
    endGently(socket, rawAnswer(failure, requestId, { ...headers, ...extra }));
  };
}

/** Ends a connection, discards what the client still sends, and closes it soon. */
function endGently(socket: Duplex, text = ""): void {
  // A client may reset the connection at any time, and nothing else may listen any more.
  socket.on("error", () => undefined);
  socket.end(text);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Answers what Node's server keeps from the router: CONNECT, and requests that are malformed, too
 * large in their headers or too slow. Their response follows those to the requests before them, and
 * the connection closes: where the next request would begin is unknown.
 */
export function handleConnectAndExpect(
  server: Server,
  uses: { readonly answerRaw: CloseWithError; readonly exchanges: Exchanges },
): void {
  const { answerRaw, exchanges } = uses;
  const failed = new WeakSet<Socket>();

  server.on("clientError", (error: ParserError, stream: Duplex) => {
    const socket = stream as Socket;
    const { code = "" } = error;
    if (!/^(?:HPE|ERR_HTTP)_/.test(code)) socket.destroy();
    // The parser reports the same error again for whatever arrives later. What follows a request
    // with `Connection: close` is not to be processed at all (RFC 9112, section 9.6).
    if (failed.has(socket) || !socket.writable || code === "HPE_CLOSED_CONNECTION") return;
    failed.add(socket);
    const request = unknownToParser.has(code) ? rebuildRequest(error, socket) : undefined;
    exchanges.afterResponses(socket, (wasAnswered) => {
      if (wasAnswered) endGently(socket);
      else if (request === undefined) answerRaw(socket, failureOfError[code] ?? malformed);
      else serveAlone(server, request);
    });
  });

  server.on("connect", (request: IncomingMessage, stream: Duplex) => {
    const { socket } = request;
    // Node has removed its own listeners, and the client may reset the connection at any time.
    for (const end of [socket, stream]) end.on("error", () => undefined);
    exchanges.afterResponses(socket, () => answerRaw(stream, connectRefused, { allow: "" }));
  });

  // RFC 9110, section 10.1.1: an expectation that is not understood may be ignored.
  server.on("checkExpectation", (request, response) => {
    server.emit("request", request, response);
  });
}

/** Serves a request that is the last of its connection, and came by no parser. */
function serveAlone(server: Server, request: IncomingMessage): void {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => endGently(socket));
  server.emit("request", request, response);
}

function rawAnswer(
  failure: Failure,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): string {
  const body = JSON.stringify(failureJson(failure, requestId));
  const status = statusOf[failure.code];
  const { retryAfterSeconds } = failure;
  const lines = Object.entries({
    ...headers,
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    "x-request-id": requestId,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
