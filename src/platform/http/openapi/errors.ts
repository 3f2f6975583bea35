import { type Failure, type FailureCode, statusOf } from "../../shared/failure.ts";
import { failureJson, quotaFields } from "../../shared/failure-json.ts";
import { EXAMPLE_ID, Type } from "../../shared/json-schema.ts";
import type { Scheme } from "../challenge.ts";
import {
  challengeHeaders,
  type DocumentedHeaders,
  passwordChallenge,
  retryHeader,
} from "./headers.ts";
import type { DocumentedFailure } from "./responses.ts";

/** The name of a code's component: `unauthorized` has `UnauthorizedError`. */
export function errorName(code: FailureCode): string {
  const words = code.split("_").filter((word) => word !== "error");
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${name.join("")}Error`;
}

/** The schema of a code's body: the envelope with this code, and the fields that it adds. */
export function errorSchema(code: FailureCode): object {
  const fields = code === "quota_exceeded" ? quotaFields : {};
  const own = Type.Object({ code: Type.Literal(code), ...fields });
  return { allOf: [Type.Ref("ErrorResponse#"), own] };
}

const reference = (code: FailureCode) => `#/components/schemas/${errorName(code)}`;

/** The content of a response that has one of several failures. */
export function errorContent(failures: readonly DocumentedFailure[]): object {
  const codes = failures.map(({ failure }) => failure.code);
  const references = codes.map((code) => ({ $ref: reference(code) }));
  const mapping = Object.fromEntries(codes.map((code) => [code, reference(code)]));
  const discriminator = { propertyName: "code", mapping };
  const schema = references.length === 1 ? references[0] : { oneOf: references, discriminator };
  const examples = failures.map(({ failure }) => [failure.code, { value: exampleOf(failure) }]);
  return { schema, examples: Object.fromEntries(examples) };
}

const exampleOf = (failure: Failure) => failureJson(failure, EXAMPLE_ID);

/** When each code comes, as a response describes it. */
export function errorDescription(failures: readonly DocumentedFailure[]): string {
  return failures.map(({ failure, condition }) => `\`${failure.code}\`: ${condition}`).join(". ");
}

/**
 * The headers of every failure with a status.
 *
 * @param scheme of the operation's credential, if it takes one.
 */
export function errorHeaders(status: number, scheme: Scheme | undefined): DocumentedHeaders {
  if (status === statusOf.unauthorized) {
    return scheme === undefined ? passwordChallenge : challengeHeaders[scheme];
  }
  const canRetry =
    status === statusOf.quota_exceeded || status === statusOf.temporarily_unavailable;
  return canRetry ? retryHeader : {};
}
