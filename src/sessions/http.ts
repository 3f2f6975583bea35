import type { FastifyRequest } from "fastify";
import { accountOf, credentialOf, type SessionGuard } from "../http/authentication.ts";
import { clientIp } from "../http/client-address.ts";
import type { App } from "../http/fastify.ts";
import { ignoringBodies } from "../http/ignored-bodies.ts";
import { documentedResponses, emptyResponse } from "../http/openapi.ts";
import type { SendList } from "../http/response/list.ts";
import type { ListGuard } from "../http/unpaid-responses.ts";
import { Type } from "../shared/json-schema.ts";
import { listedSessionJson } from "./json.ts";
import type { Sessions } from "./sessions.ts";

const common = { tags: ["Account"], security: [{ Session: [] }] };

const listSchema = {
  ...common,
  operationId: "listSessions",
  summary: "List the account's valid sessions, and where each began",
  response: documentedResponses(
    { 200: Type.Ref("SessionList#", { description: "The sessions" }) },
    ["unauthorized"],
  ),
};

const endSchema = {
  ...common,
  operationId: "endSession",
  summary: "End a session; its token is rejected from then on",
  description: "The session of the request itself can be ended, too.",
  params: Type.Object({
    id: Type.String({ description: "The session's id, as listed; in any case" }),
  }),
  response: documentedResponses({ 204: emptyResponse("The session is ended") }, [
    "unauthorized",
    "not_found",
  ]),
};

const endOthersSchema = {
  ...common,
  operationId: "endOtherSessions",
  summary: "End every session of the account but that of the request",
  response: documentedResponses({ 204: emptyResponse("The other sessions are ended") }, [
    "unauthorized",
  ]),
};

export async function sessionRoutes(
  app: App,
  uses: {
    readonly sessions: Sessions;
    readonly sessionGuard: SessionGuard;
    readonly listGuard: ListGuard;
    readonly sendList: SendList;
  },
): Promise<void> {
  const { sessions, sessionGuard: onRequest, listGuard, sendList } = uses;
  const url = "/v1/account/sessions";

  app.get(url, { schema: listSchema, onRequest: listGuard }, (request, reply) =>
    sendList(reply, "sessions", sessions.list(ownSession(request)), listedSessionJson),
  );

  await ignoringBodies(app, (scope) => {
    scope.delete(`${url}/:id`, { schema: endSchema, onRequest }, async (request, reply) => {
      await sessions.endOne(sessionInUse(request), request.params.id);
      return reply.code(204).send();
    });

    scope.delete(url, { schema: endOthersSchema, onRequest }, async (request, reply) => {
      await sessions.endOthers(sessionInUse(request));
      return reply.code(204).send();
    });
  });
}

function ownSession(request: FastifyRequest) {
  return { accountId: accountOf(request), token: credentialOf(request.raw, "Session") ?? "" };
}

function sessionInUse(request: FastifyRequest) {
  return { ...ownSession(request), clientIp: clientIp(request) };
}
