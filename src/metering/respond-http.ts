import type { Logger } from "pino";
import { remainingUnits } from "../billing/rules.ts";
import { errorResponse } from "../http/response/error-handler.ts";
import type { HttpResponse } from "../http/response/serialize.ts";
import type { Rate } from "../rates/rules/rate.ts";
import { Failure } from "../shared/failure.ts";
import { logFailure, toFailure } from "../shared/thrown.ts";
import type { QuotaState, ReadRate, ReadResult } from "./read-rate.ts";

/** Reads a rate and puts the answer together. What broke is logged, and answered for. */
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

  const refuse = (
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
        if (result instanceof Failure) return refuse(result, requestId, headers);
        return { status: 200, code: undefined, headers, body: rateBody(result) };
      },
      (error: unknown) => refuse(toFailure(error), requestId, []),
    );
}

/**
 * `JSON.stringify(rateJson(rate))`, in a quarter of its time: none of these texts holds a character
 * that JSON would escape.
 */
export function rateBody({ base, quote, rate, asOf }: Rate): string {
  return `{"base":"${base}","quote":"${quote}","rate":"${rate}","as_of":"${asOf}","type":"direct"}`;
}

/**
 * The account's allowance as draft-ietf-httpapi-ratelimit-headers writes it.
 *
 * @returns names and values in turn.
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
