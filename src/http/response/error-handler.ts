import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { TLocalizedValidationError } from "typebox/error";
import { Failure, type FailureCode } from "../../shared/failure.ts";
import { failureJson } from "../../shared/failure-json.ts";
import { logFailure, toFailure } from "../../shared/thrown.ts";
import { ClientGone } from "../client-address.ts";
import { statusOf } from "../statuses.ts";
import type { HttpResponse } from "./serialize.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the route's 401 says in WWW-Authenticate; unset: `Session`. */
    challenge?: string;
  }
}

/** Answers with a failure's envelope, status and headers. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure) {
  const pairs = failureHeaders(failure, request.routeOptions.config.challenge ?? "Session");
  for (let index = 0; index < pairs.length; index += 2) {
    reply.header(pairs[index] ?? "", pairs[index + 1]);
  }
  request.failureCode = failure.code;
  return reply.code(statusOf[failure.code]).send(failureJson(failure, request.id));
}

/**
 * @param challenge what a 401 says in WWW-Authenticate.
 * @param headers further ones, names and values in turn.
 * @returns a failure's answer in one piece.
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

/** @returns the headers that a failure's answer carries, names and values in turn. */
function failureHeaders(failure: Failure, challenge: string): string[] {
  const headers: string[] = [];
  if (failure.code === "unauthorized") headers.push("www-authenticate", challenge);
  const { retryAfterSeconds } = failure;
  if (retryAfterSeconds !== undefined) headers.push("retry-after", String(retryAfterSeconds));
  return headers;
}

/** Makes the handler of everything that is thrown: known failures are told, others logged. */
export function createErrorHandler(log: Logger) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof ClientGone) {
      // Without a response there is no line in the log and no count, and no alarm for what is no
      // fault of the service.
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
  // Fastify gives a status even to a failure of ours.
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

/** @returns the failure of a body that does not fit its schema: the field, and the rule. */
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
