import type { FastifyRequest } from "fastify";
import { accountOf, type SessionGuard, sessionOf } from "../../platform/http/authentication.ts";
import type { App } from "../../platform/http/fastify.ts";
import { ignoringBodies } from "../../platform/http/ignored-bodies.ts";
import { documentedResponses, emptyResponse } from "../../platform/http/openapi/responses.ts";
import { invalidJson, notJson } from "../../platform/http/response/error-handler.ts";
import type { SendList } from "../../platform/http/response/list.ts";
import type { ListGuard } from "../../platform/http/unpaid-responses.ts";
import { Failure, sessionRequired } from "../../platform/shared/failure.ts";
import { EXAMPLE_ID, Type } from "../../platform/shared/json-schema.ts";
import { quoted, visibleLine } from "../../platform/shared/text/visible-text.ts";
import { tooManyAttempts } from "../auth-limit/auth-limiter.ts";
import type { ApiKeys } from "./api-keys.ts";
import {
  apiKeyJson,
  createdApiKeyJson,
  keyLimitsJson,
  LimitsBody,
  limitsInBody,
  limitUsageJson,
  NewApiKeyBody,
  RotationBody,
} from "./json.ts";
import { endInvalid, OVERLAP_HOURS } from "./limits.ts";
import { apiKeyNotFound, KEY_LIMITS, keyLimitReached } from "./rules.ts";

const tags = ["API keys"];
const security = [{ Session: [] }];

const createSchema = {
  operationId: "createApiKey",
  tags,
  security,
  summary: "Create an API key",
  description:
    `An account has at most ${KEY_LIMITS.active} active keys, creates at most ` +
    `${KEY_LIMITS.perDay} per UTC day, and has at most ${KEY_LIMITS.total.toLocaleString("en")} ` +
    "in total, revoked ones included.",
  body: NewApiKeyBody,
  response: documentedResponses(
    { 201: Type.Ref("CreatedApiKey#", { description: "The key with its secret, returned once" }) },
    [sessionRequired, invalidJson, endInvalid, notJson, keyLimitReached.active],
  ),
};

const params = Type.Object({
  id: Type.String({
    format: "uuid",
    description: "The key's id, as listed; in any case",
    examples: [EXAMPLE_ID],
  }),
});

const limitsSchema = {
  operationId: "getApiKeyLimits",
  tags,
  security,
  summary: "The end and the caps of an active key",
  description: "In the list of keys, `revoked_at` is also the time at which a key has ended.",
  params,
  response: documentedResponses({ 200: Type.Ref("ApiKeyLimits#", { description: "The limits" }) }, [
    sessionRequired,
    apiKeyNotFound,
  ]),
};

const limitUsageSchema = {
  operationId: "getLimitUsage",
  tags: ["Usage"],
  security,
  summary: "Get the limits of active keys, and the units that count against them",
  description:
    "Only keys with an end or a cap. The units are those of the key and of all that rotations " +
    "joined with it, as the caps count them.",
  response: documentedResponses({ 200: Type.Ref("LimitUsageList#", { description: "The keys" }) }, [
    sessionRequired,
  ]),
};

const setLimitsSchema = {
  operationId: "setApiKeyLimits",
  tags,
  security,
  summary: "Replace the end and the caps of an active key",
  description:
    "The units of a key and of those that replaced it count together: the caps become those of " +
    "every active one of them, the end only this key's. A read beyond a cap gets 429 " +
    "`quota_exceeded`. Units used already count, too.",
  params,
  body: LimitsBody,
  response: documentedResponses(
    { 200: Type.Ref("ApiKeyLimits#", { description: "The limits, as they are stored" }) },
    [sessionRequired, endInvalid, notJson, apiKeyNotFound, tooManyAttempts(900)],
  ),
};

const rotateSchema = {
  operationId: "rotateApiKey",
  tags,
  security,
  summary: "Replace a key by a new one with the same name and limits",
  description:
    "The old key ends after the overlap, or at its own end if that is earlier. The new one has " +
    "the old one's end; a key that was to end in days from its creation gets as many again. " +
    "Repeating it makes another key, and never moves the old one's end later. The limits of a " +
    "creation apply.",
  params,
  body: RotationBody,
  response: documentedResponses(
    { 201: Type.Ref("CreatedApiKey#", { description: "The new key with its secret" }) },
    [sessionRequired, invalidJson, notJson, apiKeyNotFound, keyLimitReached.active],
  ),
};

const listSchema = {
  operationId: "listApiKeys",
  tags,
  security,
  summary: "List every key of the account, revoked ones too",
  description: "Without their secrets: a key is shown whole only when it is created.",
  response: documentedResponses({ 200: Type.Ref("ApiKeyList#", { description: "The keys" }) }, [
    sessionRequired,
  ]),
};

const revokeSchema = {
  operationId: "revokeApiKey",
  tags,
  security,
  summary: "Revoke a key; it is rejected from then on",
  description: "The list keeps it, with `revoked_at`. A key cannot be made valid again.",
  params,
  response: documentedResponses({ 204: emptyResponse("The key is revoked") }, [
    sessionRequired,
    apiKeyNotFound,
  ]),
};

export async function apiKeyRoutes(
  app: App,
  uses: {
    readonly apiKeys: ApiKeys;
    readonly sessionGuard: SessionGuard;
    readonly listGuard: ListGuard;
    readonly sendList: SendList;
  },
): Promise<void> {
  const { apiKeys, sessionGuard: onRequest, listGuard, sendList } = uses;
  const url = "/v1/account/api-keys";

  app.post(
    url,
    { schema: createSchema, onRequest, preValidation: [trimName, rejectMisspelt, requireEnd] },
    async (request, reply) => {
      const { name } = request.body;
      const chosen = { name, ...limitsInBody(request.body) };
      const { key, secret } = await apiKeys.create(sessionOf(request), chosen);
      reply.code(201);
      return createdApiKeyJson(key, secret);
    },
  );

  const limitsUrl = `${url}/:id/limits`;
  app.get(limitsUrl, { schema: limitsSchema, onRequest }, async (request) =>
    keyLimitsJson(await apiKeys.limits(accountOf(request), request.params.id)),
  );
  const setLimitsOptions = { schema: setLimitsSchema, onRequest, preValidation: requireEnd };
  app.put(limitsUrl, setLimitsOptions, async (request) => {
    const given = limitsInBody(request.body);
    return keyLimitsJson(await apiKeys.setLimits(sessionOf(request), request.params.id, given));
  });

  app.get(
    "/v1/account/usage/limits",
    { schema: limitUsageSchema, onRequest: listGuard },
    async (request) => ({
      api_keys: (await apiKeys.limitUsage(accountOf(request))).map(limitUsageJson),
    }),
  );

  app.post(
    `${url}/:id/rotate`,
    { schema: rotateSchema, onRequest, preValidation: rejectUnknown },
    async (request, reply) => {
      const { overlap_hours: hours = OVERLAP_HOURS.default } = request.body;
      const rotated = await apiKeys.rotate(sessionOf(request), request.params.id, hours);
      reply.code(201);
      return createdApiKeyJson(rotated.key, rotated.secret);
    },
  );

  app.get(url, { schema: listSchema, onRequest: listGuard }, (request, reply) =>
    sendList(reply, "api_keys", apiKeys.list(accountOf(request)), apiKeyJson),
  );

  await ignoringBodies(app, (scope) => {
    scope.delete(`${url}/:id`, { schema: revokeSchema, onRequest }, async (request, reply) => {
      await apiKeys.revoke(sessionOf(request), request.params.id);
      return reply.code(204).send();
    });
  });
}

/** Lone surrogates cannot be stored, so they are replaced: the response has the stored name. */
async function trimName({ body }: FastifyRequest): Promise<void> {
  if (typeof body === "object" && body !== null && "name" in body) {
    if (typeof body.name === "string") body.name = body.name.trim().toWellFormed();
  }
}

/** The schema's message about another type, such as a number of days, has no form of an end. */
async function requireEnd({ body }: Pick<FastifyRequest, "body">): Promise<void> {
  const { expires_at: end = null } = Object(body) as { readonly expires_at?: unknown };
  if (end !== null && typeof end !== "string") throw endInvalid;
}

/** A limit that is misspelt, and so ignored, would leave a key without one. */
const rejectMisspelt = rejectOthers(LimitsBody, "limits are", /unit|expir|limit|period|day/i);

/** An overlap that is misspelt, and so ignored, would leave a leaked key valid for a day. */
const rejectUnknown = rejectOthers(RotationBody, "only one is", /(?:)/);

/** @returns a hook that rejects members like `pattern` that a body's schema does not have. */
function rejectOthers(schema: { properties: object }, known: string, pattern: RegExp) {
  const names = Object.keys(schema.properties);
  return async ({ body }: Pick<FastifyRequest, "body">): Promise<void> => {
    if (typeof body !== "object" || Array.isArray(body)) return;
    const other = Object.keys(body ?? {}).find(
      (name) => pattern.test(name) && !names.includes(name),
    );
    if (other === undefined) return;
    const name = visibleLine(quoted(other));
    const message = `There is no member ${name}: the ${known} ${names.join(", ")}.`;
    throw new Failure("invalid_request", message);
  };
}
