import { type SessionGuard, sessionOf } from "../../platform/http/authentication.ts";
import { normalizeBodyEmail } from "../../platform/http/body-email.ts";
import { clientAddress } from "../../platform/http/client-address.ts";
import type { App } from "../../platform/http/fastify.ts";
import { ignoringBodies } from "../../platform/http/ignored-bodies.ts";
import { documentedResponses, emptyResponse } from "../../platform/http/openapi/responses.ts";
import { invalidJson, notJson } from "../../platform/http/response/error-handler.ts";
import type { SendList } from "../../platform/http/response/list.ts";
import type { ListGuard } from "../../platform/http/unpaid-responses.ts";
import { sessionRequired } from "../../platform/shared/failure.ts";
import { EXAMPLE_ID, Type } from "../../platform/shared/json-schema.ts";
import { tooManyAttempts } from "../auth-limit/auth-limiter.ts";
import { describeClient } from "./client.ts";
import { CredentialsBody, listedSessionJson, sessionJson } from "./json.ts";
import { emailNotVerified, sessionNotFound, wrongCredentials } from "./rules.ts";
import type { Sessions } from "./sessions.ts";

const common = { tags: ["Account"], security: [{ Session: [] }] };

const listSchema = {
  ...common,
  operationId: "listSessions",
  summary: "List the account's valid sessions, and where each began",
  description: "A session ends 24 hours after its log-in, or when it is ended.",
  response: documentedResponses(
    { 200: Type.Ref("SessionList#", { description: "The sessions" }) },
    [sessionRequired],
  ),
};

const endSchema = {
  ...common,
  operationId: "endSession",
  summary: "End a session; its token is rejected from then on",
  description: "The session of the request itself can be ended, too.",
  params: Type.Object({
    id: Type.String({
      format: "uuid",
      description: "The session's id, as listed; in any case",
      examples: [EXAMPLE_ID],
    }),
  }),
  response: documentedResponses({ 204: emptyResponse("The session is ended") }, [
    sessionRequired,
    sessionNotFound,
  ]),
};

const endOthersSchema = {
  ...common,
  operationId: "endOtherSessions",
  summary: "End every session of the account but that of the request",
  description: "Also succeeds when there is no other. API keys stay valid.",
  response: documentedResponses({ 204: emptyResponse("The other sessions are ended") }, [
    sessionRequired,
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
    sendList(reply, "sessions", sessions.list(sessionOf(request)), listedSessionJson),
  );

  await ignoringBodies(app, (scope) => {
    scope.delete(`${url}/:id`, { schema: endSchema, onRequest }, async (request, reply) => {
      await sessions.endOne(sessionOf(request), request.params.id);
      return reply.code(204).send();
    });

    scope.delete(url, { schema: endOthersSchema, onRequest }, async (request, reply) => {
      await sessions.endOthers(sessionOf(request));
      return reply.code(204).send();
    });
  });
}

const loginSchema = {
  operationId: "logIn",
  tags: ["Authentication"],
  summary: "Log in for a session of 24 hours",
  description:
    "Send the token as `Authorization: Session svc_sess_…` to the operations of the account.",
  security: [],
  body: CredentialsBody,
  response: documentedResponses(
    { 200: Type.Ref("Session#", { description: "The session" }) },
    [invalidJson, notJson, wrongCredentials, emailNotVerified, tooManyAttempts(900)],
    {
      conditions: { unauthorized: "the email or the password is wrong, or the account suspended" },
    },
  ),
};

const logoutSchema = {
  operationId: "logOut",
  tags: ["Authentication"],
  summary: "End the session",
  description: "Its token is rejected from then on; other sessions and API keys stay valid.",
  security: [{ Session: [] }],
  response: documentedResponses({ 204: emptyResponse("The session is ended") }, [sessionRequired]),
};

/** The log-in and the log-out. */
export async function authRoutes(
  app: App,
  uses: {
    readonly sessions: Sessions;
    readonly sessionGuard: SessionGuard;
  },
): Promise<void> {
  const { sessions, sessionGuard } = uses;

  const loginOptions = { schema: loginSchema, preValidation: normalizeBodyEmail };
  app.post("/v1/auth/login", loginOptions, async (request) => {
    const client = describeClient(request.headers["user-agent"]);
    const origin = { clientAddress: clientAddress(request), client };
    return sessionJson(await sessions.logIn({ ...request.body, ...origin }));
  });

  await ignoringBodies(app, (scope) => {
    const options = { schema: logoutSchema, onRequest: sessionGuard };
    scope.post("/v1/auth/logout", options, async (request, reply) => {
      await sessions.logOut(sessionOf(request));
      return reply.code(204).send();
    });
  });
}
