import type { TSchema } from "typebox";
import {
  type Failure,
  type FailureCode,
  serviceOverloaded,
  statusOf,
  toFailure,
} from "../../shared/failure.ts";
import { Type } from "../../shared/json-schema.ts";
import { bodyTooLarge } from "../ignored-bodies.ts";
import { malformed } from "../server/client-errors.ts";
import { BODY_BYTES_MAX } from "../server/server.ts";
import type { DocumentedHeaders } from "./headers.ts";

/** When each failure comes, where an operation does not say it more precisely. */
const conditions: Readonly<Record<FailureCode, string>> = {
  invalid_request: "malformed HTTP or JSON, or a missing or invalid field, which the message names",
  invalid_asset_symbol: "a symbol does not have the form",
  invalid_token: "the token is unknown, used, void or expired",
  unauthorized: "no valid credential: WWW-Authenticate says what to send, and what came",
  email_not_verified: "the operator requires a verified email, and the password was correct",
  registration_closed: "registration needs an invitation, or is closed",
  forbidden: "a foreign Origin or Host",
  not_found: "the id is unknown, another account's, revoked or expired",
  unsupported_pair: "the pair is not stored",
  method_not_allowed: "another method; Allow lists the supported ones",
  email_taken: "the email has an account",
  key_limit_reached: "a limit of keys is reached, which the message names",
  payload_too_large: "a body or headers over 16 KiB",
  unsupported_media_type: "a body that is not application/json",
  quota_exceeded: "the quota of the billing period is used up; Retry-After is its end",
  too_many_requests: "the limit of such calls is used up; retry after Retry-After",
  internal_error: "a bug in the service; retrying does not help",
  temporarily_unavailable: "overload, or the store is away; retry after Retry-After",
};

/** The failures of any operation. A method that a path does not support is no operation. */
const common: readonly Failure[] = [
  malformed,
  bodyTooLarge(BODY_BYTES_MAX),
  toFailure(undefined),
  serviceOverloaded,
];

/** A failure of an operation, as the document shows it. */
export interface DocumentedFailure {
  /** One that the operation responds with; its message is the example. */
  readonly failure: Failure;
  readonly condition: string;
}

/** A response of an operation, as routes state it: a success is a schema with both. */
export interface DocumentedResponse {
  readonly description?: string;
  readonly headers?: DocumentedHeaders;
  /** Of a failure; one for each code. */
  readonly failures?: readonly DocumentedFailure[];
}

/**
 * The responses of an operation by status, for the OpenAPI document.
 *
 * @param success the schema by status; `emptyResponse` for a response without a body.
 * @param failures those of the operation, one for each code, besides those of any operation; of two
 *   with one code the first counts.
 * @param more headers of the failures by status, and more precise conditions.
 */
export function documentedResponses(
  success: Readonly<Record<number, TSchema>>,
  failures: readonly Failure[],
  more: {
    readonly headers?: Readonly<Record<number, DocumentedHeaders>>;
    readonly conditions?: Readonly<Partial<Record<FailureCode, string>>>;
  } = {},
): Record<number, TSchema> {
  const conditionOf = { ...conditions, ...more.conditions };
  const byCode = new Map<FailureCode, DocumentedFailure>();
  for (const failure of [...failures, ...common]) {
    const { code } = failure;
    if (!byCode.has(code)) byCode.set(code, { failure, condition: conditionOf[code] });
  }
  const responses: Record<number, TSchema> = { ...success };
  const byStatus = Map.groupBy(byCode.values(), ({ failure }) => statusOf[failure.code]);
  for (const [status, group] of byStatus) {
    const response: DocumentedResponse = {
      failures: group,
      headers: more.headers?.[status] ?? {},
    };
    responses[status] = response;
  }
  return responses;
}

/** A response without a body. */
export function emptyResponse(description: string, headers: DocumentedHeaders = {}): TSchema {
  return Type.Null({ description, headers });
}
