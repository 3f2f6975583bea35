import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { TLocalizedValidationError } from "typebox/error";
import { StoreUnavailable } from "../../application/ports.ts";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import type { Scheme } from "../authorization.ts";
import { wireFailure } from "../wire.ts";
import { statusOf } from "./statuses.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The credential that the route wants, told in the 401's WWW-Authenticate. */
    scheme?: Scheme;
  }
}

/** Answers with a failure's envelope, status and headers. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure) {
  const pairs = failureHeaders(failure, request.routeOptions.config.scheme ?? "Session");
  for (let index = 0; index < pairs.length; index += 2) {
    reply.header(pairs[index] ?? "", pairs[index + 1]);
  }
  return reply.code(statusOf[failure.code]).send(wireFailure(failure, request.id));
}

/**
 * @param scheme the credential that was wanted.
 * @returns the headers that a failure's answer carries, names and values in turn.
 */
export function failureHeaders(failure: Failure, scheme: Scheme): string[] {
  const headers: string[] = [];
  if (failure.code === "unauthorized") headers.push("www-authenticate", scheme);
  const { retryAfterSeconds } = failure;
  if (retryAfterSeconds !== undefined) headers.push("retry-after", String(retryAfterSeconds));
  return headers;
}

/** Makes the handler of everything that is thrown: known failures are told, others logged. */
export function createErrorHandler(log: Logger) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const failure = failureOf(error);
    logFailure(log, failure, request.id);
    return sendFailure(request, reply, failure);
  };
}

/** What broke is logged with its cause, of which the answer says nothing. */
export function logFailure(log: Logger, failure: Failure, requestId: string): void {
  if (failure.cause !== undefined) {
    log.error({ request_id: requestId, code: failure.code, err: failure.cause }, failure.message);
  }
}

const codeOfStatus = new Map<number, FailureCode>([
  [413, "payload_too_large"],
  [415, "unsupported_media_type"],
]);

const messageOfCode: Partial<Record<FailureCode, string>> = {
  payload_too_large: "The request body is larger than 16 KiB.",
  unsupported_media_type: "The request body must be JSON, with Content-Type: application/json.",
};

function failureOf(error: FastifyError | Error): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof StoreUnavailable) {
    const message = "The service is temporarily unavailable. Please retry.";
    return new Failure("temporarily_unavailable", message, { retryAfterSeconds: 1, cause: error });
  }
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (status === undefined || status < 400 || status > 499) {
    const message = "Something went wrong on our side. The request id helps to find it.";
    return new Failure("internal_error", message, { cause: error });
  }
  const code = codeOfStatus.get(status) ?? "invalid_request";
  return new Failure(code, messageOfCode[code] ?? malformedMessage(error as FastifyError));
}

function malformedMessage(error: FastifyError): string {
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
