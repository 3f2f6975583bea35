import { StoreOverloaded, StoreUnavailable } from "./store.ts";

/**
 * Every code an error response can have, with its status (specification, section 7, and
 * additions to it).
 */
export const statusOf = {
  invalid_request: 400,
  invalid_asset_symbol: 400,
  invalid_token: 400,
  unauthorized: 401,
  email_not_verified: 403,
  registration_closed: 403,
  forbidden: 403,
  not_found: 404,
  unsupported_pair: 404,
  method_not_allowed: 405,
  email_taken: 409,
  key_limit_reached: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  quota_exceeded: 429,
  too_many_requests: 429,
  internal_error: 500,
  temporarily_unavailable: 503,
} as const;

export type FailureCode = keyof typeof statusOf;

export const failureCodes = Object.keys(statusOf) as readonly FailureCode[];

/** The fields that `quota_exceeded` adds to the envelope. */
export interface QuotaDetails {
  readonly limit: number;
  readonly remaining: number;
  /** RFC 3339 in UTC. */
  readonly reset_at: string;
}

/** The way out of a failure whose message the specification fixes: a sentence, and a page. */
export interface Help {
  readonly text: string;
  readonly url: string;
}

/** The optional details of a failure. */
export interface FailureOptions {
  readonly quota?: QuotaDetails;
  readonly retryAfterSeconds?: number;
  /** The code of RFC 6749, where a client of OAuth reads the response. */
  readonly oauthError?: string;
  readonly help?: Help;
  /** For the log only, never in the response. */
  readonly cause?: unknown;
}

/** A rejection or an error as the client sees it: a stable code and a public text. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly quota: QuotaDetails | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly oauthError: string | undefined;
  readonly help: Help | undefined;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Failure";
    this.code = code;
    this.quota = options.quota;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.oauthError = options.oauthError;
    this.help = options.help;
  }
}

export const serviceOverloaded = new Failure(
  "temporarily_unavailable",
  "The service is temporarily unavailable. Please retry.",
  { retryAfterSeconds: 1 },
);

export const sessionRequired = new Failure("unauthorized", "Authentication required.");

/** @returns the failure to send for a thrown value; `internal_error` for an unexpected one. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof StoreOverloaded) return serviceOverloaded;
  if (error instanceof StoreUnavailable || isShortage(error)) {
    const options = { retryAfterSeconds: 1, cause: error };
    return new Failure("temporarily_unavailable", serviceOverloaded.message, options);
  }
  const message = "Something went wrong on our side. The request id helps to find it.";
  return new Failure("internal_error", message, { cause: error });
}

/**
 * The error codes for a lack of file descriptors, memory, threads or disk space; and Node's code
 * for it when it loads a module late and cannot open a package.json on its path.
 */
const shortages = new Set([
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "ENOSPC",
  "ERR_INVALID_PACKAGE_CONFIG",
  "ERR_WORKER_INIT_FAILED",
  "ERR_WORKER_OUT_OF_MEMORY",
]);

function isShortage(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && shortages.has(code);
}
