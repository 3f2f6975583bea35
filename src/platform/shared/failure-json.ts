import { type Failure, failureCodes } from "./failure.ts";
import { Id, Timestamp, Type, Units } from "./json-schema.ts";

// The JSON shapes of the API: each schema both validates and documents, and the functions below
// write the fields in the schema's order.

export const ErrorResponseSchema = Type.Object(
  {
    code: Type.Enum([...failureCodes], { description: "Stable; distinguishes the causes" }),
    message: Type.String({ description: "For people; may change" }),
    request_id: { ...Id, description: "The same as in X-Request-Id" },
  },
  { $id: "ErrorResponse", description: "The envelope of every failure" },
);

/** The fields that `quota_exceeded` adds to the envelope. */
export const quotaFields = {
  limit: {
    ...Units,
    description: "The account's quota, or the key's cap that is used up",
    examples: [1000],
  },
  remaining: { ...Units, description: "The units that remain: none", examples: [0] },
  reset_at: {
    ...Timestamp,
    description: "The end of the period, or of the UTC day of a daily cap",
    examples: ["2026-12-01T00:00:00.000Z"],
  },
};

/**
 * The error envelope (specification, section 2), with the quota's fields where it has them. Clients
 * of OAuth show nothing of a response without the fields of RFC 6749.
 */
export function failureJson(failure: Failure, requestId: string) {
  const { code, message, quota, oauthError } = failure;
  const oauth = oauthError && { error: oauthError, error_description: message };
  return { code, message, request_id: requestId, ...quota, ...oauth };
}
