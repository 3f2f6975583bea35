/** Every code an error response can have (specification, section 7, and additions to it). */
export const failureCodes = [
  "invalid_request",
  "invalid_asset_symbol",
  "invalid_token",
  "unauthorized",
  "email_not_verified",
  "forbidden",
  "not_found",
  "unsupported_pair",
  "method_not_allowed",
  "email_taken",
  "key_limit_reached",
  "payload_too_large",
  "unsupported_media_type",
  "quota_exceeded",
  "too_many_requests",
  "internal_error",
  "temporarily_unavailable",
] as const;

export type FailureCode = (typeof failureCodes)[number];

/** The fields that `quota_exceeded` adds to the envelope. */
export interface QuotaDetails {
  readonly limit: number;
  readonly remaining: number;
  /** RFC 3339 in UTC. */
  readonly reset_at: string;
}

/** The optional details of a failure. */
export interface FailureOptions {
  readonly quota?: QuotaDetails;
  readonly retryAfterSeconds?: number;
  /** For the log only, never in the response. */
  readonly cause?: unknown;
}

/** A rejection or an error as the client sees it: a stable code and a public text. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly quota: QuotaDetails | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Failure";
    this.code = code;
    this.quota = options.quota;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export const serviceOverloaded = new Failure(
  "temporarily_unavailable",
  "The service is temporarily unavailable. Please retry.",
  { retryAfterSeconds: 1 },
);

export const sessionRequired = new Failure("unauthorized", "Authentication required.");
