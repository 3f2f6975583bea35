import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { TLocalizedValidationError } from "typebox/error";
import { logFailure } from "../../log/log.ts";
import { Failure, type FailureCode, statusOf, toFailure } from "../../shared/failure.ts";
import { failureJson } from "../../shared/failure-json.ts";
import { ClientGone } from "../client-address.ts";
import type { HttpResponse } from "./serialize.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The WWW-Authenticate of the route's 401; unset: `Session`. */
    challenge?: string;
  }
}

/** Responds with a failure's envelope, status and headers. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure) {
  const pairs = failureHeaders(failure, request.routeOptions.config.challenge ?? "Session");
  for (let index = 0; index < pairs.length; index += 2) {
    reply.header(pairs[index] ?? "", pairs[index + 1]);
  }
  request.failureCode = failure.code;
  return reply.code(statusOf[failure.code]).send(failureJson(failure, request.id));
}

/**
 * @param challenge the WWW-Authenticate of a 401.
 * @param headers further headers, alternating names and values.
 * @returns a failure's complete response.
 */
export function errorResponse(
  failure: Failure,
  requestId: string,
  challenge: string,
  headers: readonly string[] = [],
): HttpResponse {
  return {
    status: statusOf[failure.code],
    code: failure.code,
    headers: [...headers, ...failureHeaders(failure, challenge)],
    body: JSON.stringify(failureJson(failure, requestId)),
  };
}

/** @returns the headers of a failure's response, alternating names and values. */
function failureHeaders(failure: Failure, challenge: string): string[] {
  const headers: string[] = [];
  if (failure.code === "unauthorized") headers.push("www-authenticate", challenge);
  const { retryAfterSeconds } = failure;
  if (retryAfterSeconds !== undefined) headers.push("retry-after", String(retryAfterSeconds));
  return headers;
}

/** Creates the handler of thrown errors: it responds with the failure and logs unknown errors. */
export function createErrorHandler(log: Logger) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof ClientGone) {
      // Without a response there is no log line, no count, and no alarm: it is not the service's
      // fault.
      reply.hijack();
      request.raw.destroy();
      return;
    }
    const failure = httpFailureOf(error, request.routeOptions.bodyLimit);
    logFailure(log, failure, request.id);
    return sendFailure(request, reply, failure);
  };
}

const codeOfStatus = new Map<number, FailureCode>([
  [413, "payload_too_large"],
  [415, "unsupported_media_type"],
]);

function httpFailureOf(error: FastifyError | Error, bodyLimitBytes: number): Failure {
  // Fastify sets a status even on our own failures.
  const status =
    !(error instanceof Failure) && "statusCode" in error ? error.statusCode : undefined;
  if (status === undefined || status < 400 || status > 499) return toFailure(error);
  const code = codeOfStatus.get(status) ?? "invalid_request";
  return new Failure(code, messageOf(code, error as FastifyError, bodyLimitBytes));
}

function messageOf(code: FailureCode, error: FastifyError, bodyLimitBytes: number): string {
  if (code === "payload_too_large") {
    return `The request body is larger than ${bodyLimitBytes / 1024} KiB.`;
  }
  if (code === "unsupported_media_type") {
    return "The request body must be JSON, with Content-Type: application/json.";
  }
  if (error.code === "FST_ERR_CTP_INVALID_CONTENT_LENGTH") {
    return "The request body does not have the length that Content-Length states.";
  }
  return "The request body is not valid JSON.";
}

/** @returns the failure of a body that violates its schema, with the field and the rule. */
export function schemaFailure(errors: readonly TLocalizedValidationError[]): Failure {
  const [error] = errors;
  return new Failure("invalid_request", error === undefined ? "invalid" : ruleOf(error));
}

function forbiddenIn(field: string): string {
  return field === "email" ? "control characters, < or >" : "control characters";
}

function ruleOf(error: TLocalizedValidationError): string {
  const field = error.instancePath.slice(1).replaceAll("/", ".");
  if (error.keyword === "required") return `${error.params.requiredProperties[0]} is missing.`;
  if (field === "") return "The request body must be a JSON object.";
  if (error.keyword === "format") return `${field} must be an ${error.params.format} address.`;
  if (error.keyword === "minLength") return `${field} must not be empty.`;
  if (error.keyword === "maxLength") {
    return `${field} must have at most ${error.params.limit} characters.`;
  }
  if (error.keyword === "pattern") return `${field} must not hold ${forbiddenIn(field)}.`;
  return `${field} ${error.message}.`;
}
