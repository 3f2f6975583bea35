import { EXAMPLE_ID } from "../../shared/json-schema.ts";
import { challenge, type Scheme } from "../challenge.ts";

/** A response header, as the document shows it. */
export interface DocumentedHeader {
  /**
   * The name of the component that lists it once. One that is not required has none: generators
   * take a referenced header for a required one.
   */
  readonly component?: string;
  readonly description: string;
  /** Whether every response that the header is documented for has it. */
  readonly required: boolean;
  readonly schema: object;
  readonly example: string | number;
}

/** Headers by their names. */
export type DocumentedHeaders = Readonly<Record<string, DocumentedHeader>>;

/** The headers of every response. */
export const everyResponse: DocumentedHeaders = {
  "X-Request-Id": {
    component: "RequestId",
    description: "Identifies the request in the service's log",
    required: true,
    schema: { type: "string", format: "uuid" },
    example: EXAMPLE_ID,
  },
};

const challengeHeader = (component: string, example: string): DocumentedHeaders => ({
  "WWW-Authenticate": {
    component,
    description:
      "The scheme, and for a missing or rejected credential what to send and what came instead",
    required: true,
    schema: { type: "string" },
    example,
  },
});

/** Of a 401, by the scheme that the operation takes. */
export const challengeHeaders: Readonly<Record<Scheme, DocumentedHeaders>> = {
  ApiKey: challengeHeader("ApiKeyChallenge", challenge("ApiKey", "no Authorization header")),
  Session: challengeHeader("SessionChallenge", challenge("Session", "no Authorization header")),
};

/** Of a 401 where the credential is a password. */
export const passwordChallenge = challengeHeader("PasswordChallenge", 'Session realm="kurs"');

/** Of a 429 and a 503. */
export const retryHeader: DocumentedHeaders = {
  "Retry-After": {
    component: "RetryAfter",
    description: "The seconds to wait before a retry",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 1,
  },
};
