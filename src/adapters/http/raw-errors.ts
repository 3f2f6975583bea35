import { randomUUIDv7 } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { Failure } from "../../domain/failure.ts";
import type { ObserveAnswer } from "../observers.ts";
import { wireFailure } from "../wire.ts";
import { STATUS_CODES } from "./node-http.ts";
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

/** Answers on a socket what never becomes a request, with the envelope, and closes it. */
export type AnswerRaw = (socket: Duplex, failure: Failure, extra?: Record<string, string>) => void;

/** What is told of bytes that never became a request. */
const malformedRequest = { method: "(other)", route: "(malformed)", arrivedMs: Number.NaN };

export function createAnswerRaw(
  headers: Readonly<Record<string, string>>,
  log: Logger,
  observe?: ObserveAnswer,
): AnswerRaw {
  return (socket, failure, extra = {}) => {
    const { code } = failure;
    const requestId = randomUUIDv7();
    log.info({ request_id: requestId, status: statusOf[code], code });
    observe?.(malformedRequest, statusOf[code], code);
    socket.end(rawAnswer(failure, requestId, { ...headers, ...extra }));
  };
}

/**
 * Answers requests that are malformed, too large in their headers or too slow. The connection is
 * closed, for where the next request would begin is not known.
 */
export function answerClientErrors(
  answerRaw: AnswerRaw,
): (error: Error & { code?: string }, socket: Duplex) => void {
  return (error, socket) => {
    // A connection that broke has nobody to answer.
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else answerRaw(socket, failureOfError[error.code ?? ""] ?? malformed);
  };
}

/** Answers what Node's server keeps from the router. */
export function answerUnrouted(server: Server, answerRaw: AnswerRaw): void {
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    answerRaw(socket, connectRefused, { allow: "" });
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
