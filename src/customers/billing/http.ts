import { accountOf, type SessionGuard } from "../../platform/http/authentication.ts";
import type { App } from "../../platform/http/fastify.ts";
import { documentedResponses } from "../../platform/http/openapi/responses.ts";
import type { SendList, SendPieces } from "../../platform/http/response/list.ts";
import type { SendResponse } from "../../platform/http/response/reply.ts";
import type { ListGuard } from "../../platform/http/unpaid-responses.ts";
import { wholeNumberIn } from "../../platform/http/validation.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { sessionRequired } from "../../platform/shared/failure.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { Type } from "../../platform/shared/json-schema.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import { dayOfKeyJson, grantJson, keyUsageJson, statementJson, usageJson } from "./json.ts";
import {
  invalidPeriod,
  periodNotBegun,
  type ReadStatement,
  type SignDetached,
} from "./statements.ts";
import type { GrantStore, UnitGrant } from "./store.ts";
import type { UsageReads } from "./usage.ts";

const DAYS_MAX = 366;
const DAYS_DEFAULT = 30;

const daysIn = wholeNumberIn("days", DAYS_MAX);

const common = { tags: ["Usage"], security: [{ Session: [] }] };

const usageSchema = {
  ...common,
  operationId: "getUsage",
  summary: "Get the units used in the current billing period",
  description: "With the plan, its quota and the times between which the units count.",
  response: documentedResponses({ 200: Type.Ref("Usage#", { description: "The usage" }) }, [
    sessionRequired,
  ]),
};

const dailySchema = {
  ...common,
  operationId: "getDailyUsage",
  summary: "Get the units of the last days by UTC day and key",
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
        examples: [7],
      }),
    ),
  }),
  response: documentedResponses({ 200: Type.Ref("DailyUsage#", { description: "The units" }) }, [
    sessionRequired,
    daysIn.failure,
  ]),
};

const keysSchema = {
  ...common,
  operationId: "getApiKeyUsage",
  summary: "Get when each key was used last, and its units in the current billing period",
  description: "Every key of the account, revoked ones too, in the order of the list of keys.",
  response: documentedResponses({ 200: Type.Ref("KeyUsageList#", { description: "The keys" }) }, [
    sessionRequired,
  ]),
};

const grantsSchema = {
  ...common,
  operationId: "listGrants",
  summary: "List the units granted beside the plan's",
  description:
    "They are used when the quota of the billing period is used up, from the grant that expires " +
    "first. What is left of them is part of the usage's quota.",
  response: documentedResponses({ 200: Type.Ref("GrantList#", { description: "The grants" }) }, [
    sessionRequired,
  ]),
};

const signatureHeader = {
  description: "A detached JWS of the body (RFC 7515, appendix F); if there is a signing key",
  required: false,
  schema: { type: "string" },
  example: "eyJhbGciOiJFZERTQSJ9..c2lnbmF0dXJl",
};

const statementSchema = {
  ...common,
  operationId: "getStatement",
  summary: "Get the account's statement of a billing period, signed",
  description:
    "The units of the period by key and UTC day, and the account's counters before and after. Of " +
    "the current period it is the statement so far; an hour after the period's end it is final.",
  params: Type.Object({
    period: Type.String({ description: "A month in UTC", examples: ["2026-11"] }),
  }),
  response: documentedResponses(
    {
      200: Type.Ref("UsageStatement#", {
        description: "The statement",
        headers: { "Statement-Signature": signatureHeader },
      }),
    },
    [sessionRequired, invalidPeriod, periodNotBegun],
    { conditions: { not_found: "the period has not begun, or ended before the account began" } },
  ),
};

async function* inOnePiece(text: string) {
  yield text;
}

export function usageRoutes(
  app: App,
  uses: {
    readonly usage: UsageReads;
    readonly store: { readonly grants: GrantStore };
    readonly clock: Clock;
    readonly readStatement: ReadStatement;
    readonly signDetached: SignDetached;
    readonly sessionGuard: SessionGuard;
    readonly listGuard: ListGuard;
    readonly sendList: SendList;
    readonly sendPieces: SendPieces;
    readonly send: SendResponse;
  },
): void {
  const { usage, store, clock, readStatement, signDetached } = uses;
  const { sessionGuard, listGuard: onRequest, sendList, sendPieces, send } = uses;

  app.get(
    "/v1/account/usage",
    { schema: usageSchema, onRequest: sessionGuard },
    async (request, reply) => {
      const body = JSON.stringify(usageJson(await usage.readUsage(accountOf(request))));
      send(request, reply, { status: 200, code: undefined, headers: [], body });
    },
  );

  app.get(
    "/v1/account/usage/daily",
    { schema: dailySchema, onRequest, preValidation: daysIn.check },
    (request, reply) => {
      const { days = DAYS_DEFAULT } = request.query;
      return sendList(reply, "days", usage.readDays(accountOf(request), days), dayOfKeyJson);
    },
  );

  app.get("/v1/account/usage/api-keys", { schema: keysSchema, onRequest }, (request, reply) =>
    sendList(reply, "api_keys", usage.readKeys(accountOf(request)), keyUsageJson),
  );

  app.get("/v1/account/grants", { schema: grantsSchema, onRequest }, (request, reply) => {
    const accountId = accountOf(request);
    const read = (after: string, limit: number) => store.grants.list(accountId, after, limit);
    const now = timestamp(clock.nowMs());
    const toJson = (grant: UnitGrant) => grantJson(grant, now);
    return sendList(
      reply,
      "grants",
      pagesOf("", read, ({ id }) => id),
      toJson,
    );
  });

  app.get(
    "/v1/account/statements/:period",
    { schema: statementSchema, onRequest },
    async (request, reply) => {
      const statement = await readStatement(accountOf(request), request.params.period);
      const body = JSON.stringify(statementJson(statement));
      const signature = await signDetached?.(Buffer.from(body));
      if (signature !== undefined) reply.header("statement-signature", signature);
      return sendPieces(reply, inOnePiece(body));
    },
  );
}
