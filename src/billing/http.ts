import type { Logger } from "pino";
import { accountOf, type SessionGuard } from "../http/authentication.ts";
import type { App } from "../http/fastify.ts";
import { documentedResponses } from "../http/openapi.ts";
import type { SendList } from "../http/response/list.ts";
import type { SendResponse } from "../http/response/reply.ts";
import { errorResponse, type HttpResponse } from "../http/response/response.ts";
import type { ListGuard } from "../http/unpaid-responses.ts";
import { wholeNumberIn } from "../http/validation.ts";
import { logFailure } from "../log/log.ts";
import { toFailure } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import { dayOfKeyJson, keyUsageJson, usageJson } from "./json.ts";
import type {
  ReadDailyUsage,
  ReadKeyUsage,
  ReadSessionUsage,
  ReadUsage,
  UsageReport,
} from "./usage.ts";

export const USAGE_ROUTE = "/v1/account/usage";

const DAYS_MAX = 366;
const DAYS_DEFAULT = 30;

const common = { tags: ["Usage"], security: [{ Session: [] }] };

const usageSchema = {
  ...common,
  operationId: "readUsage",
  summary: "Read the units used in the current billing period",
  response: documentedResponses({ 200: Type.Ref("Usage#", { description: "The usage" }) }, [
    "unauthorized",
  ]),
};

const dailySchema = {
  ...common,
  operationId: "readDailyUsage",
  summary: "Read the units of the last days by UTC day and key",
  description:
    "In order of the day, then of the key's creation; revoked keys are listed too. A day on " +
    "which a key used nothing is left out.",
  querystring: Type.Object({
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DAYS_MAX,
        default: DAYS_DEFAULT,
        description: "How many days, today included",
      }),
    ),
  }),
  response: documentedResponses({ 200: Type.Ref("DailyUsage#", { description: "The units" }) }, [
    "unauthorized",
  ]),
};

const keysSchema = {
  ...common,
  operationId: "readKeyUsage",
  summary: "Read when each key was used last, and its units in the current billing period",
  description: "Every key of the account, revoked ones too, in the order of the list of keys.",
  response: documentedResponses({ 200: Type.Ref("KeyUsageList#", { description: "The keys" }) }, [
    "unauthorized",
  ]),
};

export function usageRoutes(
  app: App,
  uses: {
    readonly readUsage: ReadUsage;
    readonly readDailyUsage: ReadDailyUsage;
    readonly readKeyUsage: ReadKeyUsage;
    readonly sessionGuard: SessionGuard;
    readonly listGuard: ListGuard;
    readonly sendList: SendList;
    readonly send: SendResponse;
  },
): void {
  const { readUsage, readDailyUsage, readKeyUsage, sessionGuard, sendList, send } = uses;
  const { listGuard: onRequest } = uses;

  app.get(USAGE_ROUTE, { schema: usageSchema, onRequest: sessionGuard }, async (request, reply) => {
    send(request, reply, usageResponse(await readUsage(accountOf(request))));
  });

  app.get(
    "/v1/account/usage/daily",
    { schema: dailySchema, onRequest, preValidation: wholeNumberIn("days", DAYS_MAX) },
    (request, reply) => {
      const { days = DAYS_DEFAULT } = request.query;
      return sendList(reply, "days", readDailyUsage(accountOf(request), days), dayOfKeyJson);
    },
  );

  app.get("/v1/account/usage/api-keys", { schema: keysSchema, onRequest }, (request, reply) =>
    sendList(reply, "api_keys", readKeyUsage(accountOf(request)), keyUsageJson),
  );
}

function usageResponse(report: UsageReport): HttpResponse {
  const body = JSON.stringify(usageJson(report));
  return { status: 200, code: undefined, headers: [], body };
}

/** Checks a session's token and builds the response. Errors become failure responses. */
export type RespondToUsage = (
  requestId: string,
  token: string | undefined,
) => Promise<HttpResponse>;

export function createRespondToUsage(deps: {
  readonly readSessionUsage: ReadSessionUsage;
  readonly log: Logger;
}): RespondToUsage {
  const { readSessionUsage, log } = deps;
  return (requestId, token) =>
    readSessionUsage(token).then(usageResponse, (error: unknown) => {
      const failure = toFailure(error);
      logFailure(log, failure, requestId);
      return errorResponse(failure, requestId, [], "Session");
    });
}
