import type { FailureCode } from "../shared/failure.ts";

/** The status of every failure. A new code does not compile until it has its own. */
export const statusOf: Record<FailureCode, number> = {
  invalid_request: 400,
  invalid_asset_symbol: 400,
  invalid_token: 400,
  unauthorized: 401,
  email_not_verified: 403,
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
};
