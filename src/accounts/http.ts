import { credentialOf } from "../http/authentication.ts";
import { documentedResponses, emptyResponse } from "../http/documented-responses.ts";
import type { App } from "../http/fastify.ts";
import { ignoringBodies } from "../http/ignored-bodies.ts";
import type { SessionGuard } from "../http/session-guard.ts";
import { Type } from "../shared/json-schema.ts";
import { clientIp, normalizeBodyEmail } from "./caller-http.ts";
import { accountJson, CredentialsBody, sessionJson } from "./json.ts";
import type { Register } from "./register.ts";
import type { Sessions } from "./sessions.ts";

const registerSchema = {
  operationId: "register",
  tags: ["Authentication"],
  summary: "Open an account",
  security: [],
  body: CredentialsBody,
  response: documentedResponses({ 201: Type.Ref("Account#", { description: "The new account" }) }, [
    "unsupported_media_type",
    "email_taken",
    "too_many_requests",
  ]),
};

const loginSchema = {
  operationId: "logIn",
  tags: ["Authentication"],
  summary: "Log in for a session of 24 hours",
  security: [],
  body: CredentialsBody,
  response: documentedResponses({ 200: Type.Ref("Session#", { description: "The session" }) }, [
    "unsupported_media_type",
    "unauthorized",
    "email_not_verified",
    "too_many_requests",
  ]),
};

const logoutSchema = {
  operationId: "logOut",
  tags: ["Authentication"],
  summary: "End the session",
  security: [{ Session: [] }],
  response: documentedResponses({ 204: emptyResponse("The session is ended") }, ["unauthorized"]),
};

export async function authRoutes(
  app: App,
  uses: {
    readonly register: Register;
    readonly sessions: Sessions;
    readonly sessionGuard: SessionGuard;
  },
): Promise<void> {
  const { register, sessions, sessionGuard } = uses;
  const preValidation = normalizeBodyEmail;

  app.post(
    "/v1/auth/register",
    { schema: registerSchema, preValidation },
    async (request, reply) => {
      const account = await register({ ...request.body, clientIp: clientIp(request) });
      reply.code(201);
      return accountJson(account);
    },
  );

  app.post("/v1/auth/login", { schema: loginSchema, preValidation }, async (request) =>
    sessionJson(await sessions.logIn({ ...request.body, clientIp: clientIp(request) })),
  );

  await ignoringBodies(app, (scope) => {
    const options = { schema: logoutSchema, onRequest: sessionGuard };
    scope.post("/v1/auth/logout", options, async (request, reply) => {
      await sessions.logOut(credentialOf(request.raw, "Session") ?? "");
      return reply.code(204).send();
    });
  });
}
