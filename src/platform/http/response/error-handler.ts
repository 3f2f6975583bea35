import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { logFailure } from "../../log/log.ts";
import { Failure, toFailure } from "../../shared/failure.ts";
import { ClientGone } from "../client-address.ts";
import { bodyTooLarge } from "../ignored-bodies.ts";
import type { SendFailure } from "./reply.ts";

/** Creates the handler of thrown errors: it responds with the failure and logs unknown errors. */
export function createErrorHandler(log: Logger, sendFailure: SendFailure) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    // The framework reports a list whose client was gone before its first item as cut off.
    const isCutOff = "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
    if (error instanceof ClientGone || (isCutOff && request.raw.socket.destroyed)) {
      // Without a response there is no log line, no count, and no alarm: it is not the service's
      // fault.
      reply.hijack();
      request.raw.socket.destroy();
      return;
    }
    const failure = httpFailureOf(error, request.routeOptions.bodyLimit);
    logFailure(log, failure, request.id);
    sendFailure(request, reply, failure);
  };
}

export const notJson = new Failure(
  "unsupported_media_type",
  "The request body must be JSON, with Content-Type: application/json.",
);

/** The framework's rejections of a body, by their code. */
const bodyFailures: Readonly<Record<string, Failure>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: notJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Failure(
    "invalid_request",
    "The request body does not have the length that Content-Length states.",
  ),
};

export const invalidJson = new Failure("invalid_request", "The request body is not valid JSON.");

function httpFailureOf(error: FastifyError | Error, bodyLimitBytes: number): Failure {
  // Fastify sets a status even on our own failures.
  if (error instanceof Failure || !("statusCode" in error)) return toFailure(error);
  const { statusCode = 500, code } = error;
  if (statusCode < 400 || statusCode > 499) return toFailure(error);
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return bodyTooLarge(bodyLimitBytes);
  return bodyFailures[code] ?? invalidJson;
}
