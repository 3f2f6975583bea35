import { randomUUIDv7 } from "node:crypto";
import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { Failure } from "../../domain/failure.ts";
import { wireFailure } from "../wire.ts";
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

/**
 * Gives the envelope to requests that never become one: malformed, too large in their headers, too
 * slow, or CONNECT. The server closes the connection, for where the next request would begin is
 * not known.
 */
export function answerRawErrors(
  headers: Readonly<Record<string, string>>,
  log: Logger,
): (error: Error & { code?: string }, socket: Duplex) => void {
  return (error, socket) => {
    const failure = failureOfError[error.code ?? ""] ?? malformed;
    // A connection that broke, or that sent nothing at all, has nobody to answer.
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = randomUUIDv7();
    log.info({ request_id: requestId, status: statusOf[failure.code], reason: error.code });
    socket.end(rawAnswer(failure, requestId, headers));
  };
}

/** Answers what Node's server keeps from the router. */
export function answerUnrouted(server: Server, headers: Readonly<Record<string, string>>): void {
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.end(rawAnswer(connectRefused, randomUUIDv7(), { ...headers, allow: "" }));
  });
  // RFC 9110, section 10.1.1: an expectation that is not understood may be ignored.
  server.on("checkExpectation", (request, response) => {
    server.emit("request", request, response);
  });
}

function rawAnswer(
  failure: Failure,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): string {
  const body = JSON.stringify(wireFailure(failure, requestId));
  const status = statusOf[failure.code];
  const lines = Object.entries({
    ...headers,
    "x-request-id": requestId,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
