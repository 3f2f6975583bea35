import { type Failure, failureCodes } from "./failure.ts";
import { Timestamp, Type, Units } from "./json-schema.ts";

// The JSON shapes of the API: each schema both validates and documents, and the functions below
// write the fields in the schema's order.

const envelopeFields = {
  code: Type.Enum([...failureCodes], { description: "Stable; distinguishes the causes" }),
  message: Type.String({ description: "For people; may change" }),
  request_id: Type.String({ format: "uuid", description: "The same as in X-Request-Id" }),
};

export const ErrorSchema = Type.Object(envelopeFields, { $id: "Error" });

export const QuotaErrorSchema = Type.Object(
  { ...envelopeFields, limit: Units, remaining: Units, reset_at: Timestamp },
  {
    $id: "QuotaError",
    examples: [
      {
        code: "quota_exceeded",
        message: "Request-unit quota exceeded for the current billing period.",
        request_id: "01a1fc78-6d10-7638-b14c-f8c565c0a0c9",
        limit: 1000,
        remaining: 0,
        reset_at: "2026-12-01T00:00:00.000Z",
      },
    ],
  },
);

/** The error envelope (specification, section 2), with the quota's fields where it has them. */
export function failureJson({ code, message, quota }: Failure, requestId: string) {
  return { code, message, request_id: requestId, ...quota };
}
