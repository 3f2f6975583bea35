import type { Caller } from "../../shared/caller.ts";
import { type Failure, type FailureCode, statusOf } from "../../shared/failure.ts";
import { failureJson } from "../../shared/failure-json.ts";

/** A complete response, the same on the fast path and through node:http. */
export interface HttpResponse {
  readonly status: number;
  /** The code of its failure; undefined for a success. */
  readonly code: FailureCode | undefined;
  /** In addition to the common ones: alternating names and values. */
  readonly headers: readonly string[];
  /** JSON, or empty. */
  readonly body: string;
  /** For the log line; undefined for a request without a key. */
  readonly caller?: Caller | undefined;
}

/**
 * @param headers further headers, alternating names and values.
 * @returns a failure's complete response.
 */
export function errorResponse(
  failure: Failure,
  requestId: string,
  headers: readonly string[] = [],
  caller?: Caller,
): HttpResponse {
  const { code, retryAfterSeconds } = failure;
  const all = [...headers];
  if (retryAfterSeconds !== undefined) all.push("retry-after", String(retryAfterSeconds));
  const body = JSON.stringify(failureJson(failure, requestId));
  return { status: statusOf[code], code, headers: all, body, caller };
}
