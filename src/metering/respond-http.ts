import type { Logger } from "pino";
import { remainingUnits } from "../billing/rules.ts";
import { errorResponse } from "../http/response/error-handler.ts";
import type { HttpResponse } from "../http/response/serialize.ts";
import type { Rate } from "../rates/rules/rate.ts";
import { Failure } from "../shared/failure.ts";
import { logFailure, toFailure } from "../shared/thrown.ts";
import type { QuotaState, ReadRate, ReadResult } from "./read-rate.ts";

/** Reads a rate and builds the response. Errors are logged and become failure responses. */
export type RespondToRead = (
  requestId: string,
  apiKey: string | undefined,
  base: string,
  quote: string,
) => Promise<HttpResponse>;

export function createRespondToRead(uses: {
  readonly readRate: ReadRate;
  readonly log: Logger;
}): RespondToRead {
  const { readRate, log } = uses;

  const failureResponse = (
    failure: Failure,
    requestId: string,
    headers: readonly string[],
  ): HttpResponse => {
    logFailure(log, failure, requestId);
    return errorResponse(failure, requestId, "ApiKey", headers);
  };

  return (requestId, apiKey, base, quote) =>
    readRate(apiKey, base, quote).then(
      ({ result, allowance }: ReadResult) => {
        const headers = allowance === undefined ? [] : rateLimitHeaders(allowance);
        if (result instanceof Failure) return failureResponse(result, requestId, headers);
        return { status: 200, code: undefined, headers, body: rateBody(result) };
      },
      (error: unknown) => failureResponse(toFailure(error), requestId, []),
    );
}

/**
 * `JSON.stringify(rateJson(rate))`, in a quarter of its time: none of these strings contains a
 * character that JSON would escape.
 */
export function rateBody({ base, quote, rate, asOf }: Rate): string {
  return `{"base":"${base}","quote":"${quote}","rate":"${rate}","as_of":"${asOf}","type":"direct"}`;
}

/**
 * The account's quota state in the form of draft-ietf-httpapi-ratelimit-headers.
 *
 * @returns alternating names and values.
 */
export function rateLimitHeaders({ quota, period, secondsToReset }: QuotaState): string[] {
  const periodSeconds = (period.endMs - period.startMs) / 1000;
  return [
    "ratelimit-policy",
    `"units";q=${quota.quotaUnits};w=${periodSeconds}`,
    "ratelimit",
    `"units";r=${remainingUnits(quota)};t=${secondsToReset}`,
  ];
}
