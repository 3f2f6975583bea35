import type { TSchema } from "typebox";
import type { FailureCode } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import { statusOf } from "./statuses.ts";

/** What any request can meet, whatever its path. */
const common: readonly FailureCode[] = [
  "invalid_request",
  "method_not_allowed",
  "payload_too_large",
  "internal_error",
  "temporarily_unavailable",
];

/**
 * The answers of an operation by status, for the document.
 *
 * @param success the schema by status; `undefined` for an answer without a body.
 * @param codes the failures it can end in, besides those that any request can.
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

/** An answer that has no body. */
export function emptyResponse(description: string): TSchema {
  return Type.Null({ description });
}
