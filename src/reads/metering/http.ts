import type { IncomingHttpHeaders } from "node:http";
import type { Logger } from "pino";
import { apiKeyRequired } from "../../customers/api-keys/rules.ts";
import { remainingUnits } from "../../customers/billing/rules.ts";
import { credentialOf } from "../../platform/http/authentication.ts";
import { challenge, describeCredential } from "../../platform/http/challenge.ts";
import type { App } from "../../platform/http/fastify.ts";
import { UNITS_CHARGED, unchargedHeaders } from "../../platform/http/headers.ts";
import { documentedResponses } from "../../platform/http/openapi/responses.ts";
import type { SendFailure, SendResponse } from "../../platform/http/response/reply.ts";
import { errorResponse, type HttpResponse } from "../../platform/http/response/response.ts";
import { logFailure } from "../../platform/log/log.ts";
import { Failure, type Help } from "../../platform/shared/failure.ts";
import { Type } from "../../platform/shared/json-schema.ts";
import { type PastMoment, parseAcceptDatetime } from "../../rates/served/rules/past.ts";
import { rateBody } from "../../rates/served/rules/rate.ts";
import { parsePair } from "../../rates/served/rules/symbol.ts";
import { failureHeadersByStatus, rateHeaders } from "./read-headers-http.ts";
import { type QuotaState, quotaExceeded, type ReadRate, type ReadResult } from "./read-rate.ts";
import {
  EXAMPLE_OF_TIME,
  invalidAcceptDatetime,
  invalidAssetSymbol,
  readsOverloaded,
  rejectQuery,
  unsupportedPair,
} from "./rules.ts";

const symbol = (description: string, example: string) =>
  Type.String({ description, examples: [example] });

/** When a read fails, and what it then costs. */
const conditions = {
  invalid_request:
    "malformed HTTP, a parameter such as date or amount, or a malformed Accept-Datetime; costs " +
    "nothing",
  unauthorized:
    "no valid API key: WWW-Authenticate says what to send, and what came; costs nothing",
  invalid_asset_symbol: "a symbol is not 2 to 10 of A-Z and 0-9; costs nothing",
  quota_exceeded:
    "the quota is used up, or a limit of the key; costs nothing; retry after Retry-After, its end",
  unsupported_pair:
    "the pair is not stored, or has no figure of that time or before: Link says whether its " +
    "other direction is, or where the list is; costs one unit",
  temporarily_unavailable:
    "the operator suspended the pair, or its rate cannot be read: costs one unit, also when it " +
    "is retried; or overload, or the store cannot charge: costs nothing. Units-Charged says " +
    "which; without it, the commit is in doubt. Retry after Retry-After",
} as const;

const exampleOfQuotaExceeded = quotaExceeded(1000, "2026-12-01T00:00:00.000Z", 846_087);

const exampleOfUnsupportedPair = unsupportedPair("https://rates.example.org");

const readRateSchema = {
  operationId: "getRate",
  tags: ["Rates"],
  summary: "Get one direct rate for one unit",
  description:
    "Checks the key, then the symbols, then charges exactly one unit, then reads the rate. A " +
    "unit that was charged is not refunded when the pair is unsupported or suspended. " +
    "HEAD is charged as GET is. With Accept-Datetime, the rate is the figure of a past time.",
  security: [{ ApiKey: [] }],
  headers: Type.Object({
    "Accept-Datetime": Type.Optional(
      Type.String({
        description:
          "Asks for the figure whose as_of is the last one at or before this time (RFC 7089)",
        examples: [EXAMPLE_OF_TIME],
      }),
    ),
  }),
  params: Type.Object({
    base: symbol("2 to 10 of A-Z and 0-9; trimmed and upper-cased", "EUR"),
    quote: symbol("2 to 10 of A-Z and 0-9; trimmed and upper-cased", "USD"),
  }),
  response: documentedResponses(
    { 200: Type.Ref("Rate#", { description: "The stored rate", headers: rateHeaders }) },
    [
      apiKeyRequired,
      invalidAssetSymbol,
      exampleOfQuotaExceeded,
      exampleOfUnsupportedPair,
      readsOverloaded,
    ],
    { headers: failureHeadersByStatus, conditions },
  ),
};

/** The path of a rate, with two symbols. */
export const ratePath = (base: string, quote: string) => `/v1/rates/${base}/${quote}`;

export const rateRoute = {
  url: ratePath(":base", ":quote"),
  config: {
    scheme: "ApiKey",
    overloadFailure: readsOverloaded,
    failureHeaders: unchargedHeaders,
  },
} as const;

export function rateRoutes(
  app: App,
  uses: {
    readonly respondToRead: RespondToRead;
    readonly send: SendResponse;
    readonly sendFailure: SendFailure;
  },
): void {
  const { respondToRead, send, sendFailure } = uses;
  const { url, config } = rateRoute;

  // No async handler: the promise it would add costs as much as looking up the rate.
  app.get(url, { schema: readRateSchema, config }, (request, reply) => {
    const { base, quote } = request.params;
    const apiKey = credentialOf(request.raw, "ApiKey");
    if (apiKey === undefined) return sendFailure(request, reply, apiKeyRequired);
    const asked =
      parsePair(base, quote) && (rejectQuery(request.query as object) ?? pastOf(request.headers));
    respondToRead(request.id, apiKey, base, quote, asked)
      .then((response) => send(request, reply, response))
      .catch((error: Error) => reply.send(error));
  });
}

/** @returns undefined for a read of the newest rate. A repeated header is one without a form. */
function pastOf({
  "accept-datetime": text,
}: IncomingHttpHeaders): PastMoment | Failure | undefined {
  if (text === undefined) return undefined;
  return parseAcceptDatetime(String(text)) ?? invalidAcceptDatetime;
}

/**
 * Reads a rate as the response. Logs failures with a cause.
 *
 * @param asked a past time, or a failure: with a valid key, the response.
 */
export type RespondToRead = (
  requestId: string,
  apiKey: string,
  base: string,
  quote: string,
  asked?: PastMoment | Failure,
) => Promise<HttpResponse>;

export function createRespondToRead(deps: {
  readonly readRate: ReadRate;
  readonly log: Logger;
}): RespondToRead {
  const { readRate, log } = deps;

  return (requestId, apiKey, base, quote, asked) => {
    const rejection = asked instanceof Failure ? asked : undefined;
    const past = asked instanceof Failure ? undefined : asked;
    // Without a valid symbol only the key is checked.
    const symbol = rejection === undefined ? base : "";
    return readRate(apiKey, symbol, quote, past).then((read: ReadResult) => {
      const { quotaState, unitsCharged, caller } = read;
      const result = (read.result === invalidAssetSymbol && rejection) || read.result;
      const headers = unitsCharged === undefined ? [] : [UNITS_CHARGED, String(unitsCharged)];
      if (quotaState !== undefined) addRateLimit(headers, quotaState);
      if (result instanceof Failure) {
        if (result === apiKeyRequired) headers.push("www-authenticate", challengeFor(apiKey));
        if (result.help !== undefined) headers.push("link", helpLink(result.help));
        logFailure(log, result, requestId);
        return errorResponse(result, requestId, headers, caller);
      }
      headers.push(...result.headers);
      if (past !== undefined) headers.push("vary", "Accept-Datetime");
      return { status: 200, code: undefined, headers, body: rateBody(result), caller };
    });
  };
}

/** A link to the page that helps (RFC 8288), with its sentence, of ASCII without quotes. */
function helpLink({ text, url }: Help): string {
  return `<${url}>; rel="help"; title="${text}"`;
}

function challengeFor(apiKey: string): string {
  return challenge("ApiKey", describeCredential(apiKey, "ApiKey"));
}

const DAY_SECONDS = 86_400;

/** Adds the state of the quotas in the form of draft-ietf-httpapi-ratelimit-headers. */
function addRateLimit(headers: string[], state: QuotaState): void {
  const { quota, period, secondsToReset, keyQuotas = [] } = state;
  const periodSeconds = (period.endMs - period.startMs) / 1000;
  let policy = `"units";q=${quota.quotaUnits};w=${periodSeconds}`;
  let limit = `"units";r=${remainingUnits(quota)};t=${secondsToReset}`;
  for (const each of keyQuotas) {
    const window = each.span === "day" ? DAY_SECONDS : periodSeconds;
    policy += `, "key-${each.span}";q=${each.quotaUnits};w=${window}`;
    limit += `, "key-${each.span}";r=${remainingUnits(each)};t=${each.secondsToReset}`;
  }
  headers.push("ratelimit-policy", policy, "ratelimit", limit);
}
