import type { Logger } from "pino";
import { remainingUnits } from "../billing/rules.ts";
import { wholeFailure } from "../http/response/error-handler.ts";
import type { WholeAnswer } from "../http/response/serialize.ts";
import type { Rate } from "../rates/rules/rate.ts";
import { Failure } from "../shared/failure.ts";
import { failureOf, logFailure } from "../shared/thrown.ts";
import type { Allowance, RateReading, ReadRate } from "./read-rate.ts";

/** Reads a rate and puts the answer together. What broke is logged, and answered for. */
export type AnswerRead = (
  requestId: string,
  apiKey: string | undefined,
  base: string,
  quote: string,
) => Promise<WholeAnswer>;

export function createAnswerRead(uses: {
  readonly readRate: ReadRate;
  readonly log: Logger;
}): AnswerRead {
  const { readRate, log } = uses;

  const refuse = (failure: Failure, requestId: string, headers: readonly string[]): WholeAnswer => {
    logFailure(log, failure, requestId);
    return wholeFailure(failure, requestId, "ApiKey", headers);
  };

  return (requestId, apiKey, base, quote) =>
    readRate(apiKey, base, quote).then(
      ({ result, allowance }: RateReading) => {
        const headers = allowance === undefined ? [] : rateLimitHeaders(allowance);
        if (result instanceof Failure) return refuse(result, requestId, headers);
        return { status: 200, code: undefined, headers, body: rateBody(result) };
      },
      (error: unknown) => refuse(failureOf(error), requestId, []),
    );
}

/**
 * `JSON.stringify(wireRate(rate))`, in a quarter of its time: none of these texts holds a character
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
export function rateLimitHeaders({ quota, period, secondsToReset }: Allowance): string[] {
  const periodSeconds = (period.endMs - period.startMs) / 1000;
  return [
    "ratelimit-policy",
    `"units";q=${quota.quotaUnits};w=${periodSeconds}`,
    "ratelimit",
    `"units";r=${remainingUnits(quota)};t=${secondsToReset}`,
  ];
}
