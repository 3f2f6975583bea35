/** Every code an error answer can carry (specification, section 7, and where that is silent). */
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

/** What `quota_exceeded` adds to the envelope. */
export interface QuotaDetails {
  readonly limit: number;
  readonly remaining: number;
  /** RFC 3339 in UTC. */
  readonly reset_at: string;
}

/** What a failure may say besides its code and message. */
export interface FailureOptions {
  readonly quota?: QuotaDetails;
  readonly retryAfterSeconds?: number;
  /** For the log alone; never for the answer. */
  readonly cause?: unknown;
}

/** A refusal or a breakdown that the caller is told of: a stable code and a public text. */
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

// The refusals that a read can end in are made once. Making an Error costs several microseconds,
// most of them for a stack that nobody reads.
export const apiKeyRequired = new Failure("unauthorized", "A valid API key is required.");
export const invalidAssetSymbol = new Failure(
  "invalid_asset_symbol",
  "Asset symbol format is invalid.",
);
export const unsupportedPair = new Failure(
  "unsupported_pair",
  "The requested currency pair is not currently supported.",
);

/** A pair that its operator has suspended is not worth asking for again at once. */
const SUSPENDED_RETRY_SECONDS = 60;

export const rateSuspended = new Failure(
  "temporarily_unavailable",
  "The service is temporarily unable to serve this rate. Please retry.",
  { retryAfterSeconds: SUSPENDED_RETRY_SECONDS },
);

/** Too much is asked at once. Nothing was begun, and nothing charged. */
export const readsBusy = new Failure("temporarily_unavailable", rateSuspended.message, {
  retryAfterSeconds: 1,
});

export const serviceBusy = new Failure(
  "temporarily_unavailable",
  "The service is temporarily unavailable. Please retry.",
  { retryAfterSeconds: 1 },
);

/** @returns the failure of a read whose rate, or whose charge, the store could not handle. */
export function rateUnavailable(cause: unknown): Failure {
  return new Failure("temporarily_unavailable", rateSuspended.message, {
    retryAfterSeconds: 1,
    cause,
  });
}

/** One text for a token that is unknown, used, void because another one was used, or expired. */
export const invalidToken = new Failure(
  "invalid_token",
  "This link is invalid, was used already or has expired. Please ask for a new one.",
);

export const emailNotVerified = new Failure(
  "email_not_verified",
  "Please confirm your email first: open the link that was mailed to you, or ask for a new one.",
);

export const sessionRequired = new Failure("unauthorized", "Authentication required.");
