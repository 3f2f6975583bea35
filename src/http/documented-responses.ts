import type { TSchema } from "typebox";
import type { FailureCode } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import { statusOf } from "./statuses.ts";

/** The failures of any request, whatever its path. */
const common: readonly FailureCode[] = [
  "invalid_request",
  "method_not_allowed",
  "payload_too_large",
  "internal_error",
  "temporarily_unavailable",
];

/**
 * The responses of an operation by status, for the OpenAPI document.
 *
 * @param success the schema by status; `emptyResponse` for a response without a body.
 * @param codes the operation's failures, besides those of any request.
 */
export function documentedResponses(
  success: Readonly<Record<number, TSchema>>,
  codes: readonly FailureCode[],
): Record<number, TSchema> {
  const responses: Record<number, TSchema> = { ...success };
  const codesByStatus = Map.groupBy(new Set([...codes, ...common]), (code) => statusOf[code]);
  for (const [status, group] of codesByStatus) {
    const shape = group.includes("quota_exceeded") ? "QuotaError#" : "Error#";
    responses[status] = Type.Ref(shape, {
      description: group.map((code) => `\`${code}\``).join(" or "),
    });
  }
  return responses;
}

/** A response without a body. */
export function emptyResponse(description: string): TSchema {
  return Type.Null({ description });
}
