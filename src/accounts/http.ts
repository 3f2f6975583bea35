import type { FastifyRequest } from "fastify";
import { credentialOf, type SessionGuard } from "../http/authentication.ts";
import { clientIp } from "../http/client-address.ts";
import type { App } from "../http/fastify.ts";
import { ignoringBodies } from "../http/ignored-bodies.ts";
import { documentedResponses, emptyResponse } from "../http/openapi.ts";
import type { EmailVerification } from "../mailed-links/email-verification.ts";
import type { PasswordResets } from "../mailed-links/password-reset.ts";
import type { Register } from "../registration/register.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { Type } from "../shared/json-schema.ts";
import { normalizeEmail } from "../shared/text/email.ts";
import {
  accountJson,
  CredentialsBody,
  EmailBody,
  MailTokenBody,
  NewPasswordBody,
  RegistrationBody,
  sessionJson,
} from "./json.ts";
import { MAILS_PER_HOUR_MAX, VALID_TOKENS_MAX } from "./rules.ts";

const registerSchema = {
  operationId: "register",
  tags: ["Authentication"],
  summary: "Open an account",
  description:
    "The operator may require an invitation, or close registration: a request without a valid " +
    "invitation then gets 403. Where registration is open, an invitation must be valid, too.",
  security: [],
  body: RegistrationBody,
  response: documentedResponses({ 201: Type.Ref("Account#", { description: "The new account" }) }, [
    "unsupported_media_type",
    "invalid_token",
    "registration_closed",
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
      await sessions.logOut(credentialOf(request.raw, "Session") ?? "", clientIp(request));
      return reply.code(204).send();
    });
  });
}

const common = { tags: ["Authentication"], security: [] };

const MAIL_LIMITS =
  `At most ${VALID_TOKENS_MAX} tokens of an account are valid for this purpose, and at most ` +
  `${MAILS_PER_HOUR_MAX} mails per hour go to one address. Beyond that the response is the same, ` +
  "but no mail is sent. Using one token voids the others.";

const accepted = Type.Object({}, { description: "Sent whether or not the account exists" });

const verifySchema = {
  ...common,
  operationId: "verifyEmail",
  summary: "Confirm an email with the token that was mailed to it",
  body: MailTokenBody,
  response: documentedResponses({ 204: emptyResponse("The email is verified") }, [
    "unsupported_media_type",
    "invalid_token",
  ]),
};

const resendSchema = {
  ...common,
  operationId: "resendVerification",
  summary: "Mail another token, valid for 24 hours; older ones stay valid",
  description: MAIL_LIMITS,
  body: EmailBody,
  response: documentedResponses({ 202: accepted }, ["unsupported_media_type", "too_many_requests"]),
};

const requestResetSchema = {
  ...common,
  operationId: "requestPasswordReset",
  summary: "Mail a token for a new password, valid for 1 hour; older ones stay valid",
  description: MAIL_LIMITS,
  body: EmailBody,
  response: documentedResponses({ 202: accepted }, ["unsupported_media_type", "too_many_requests"]),
};

const confirmResetSchema = {
  ...common,
  operationId: "resetPassword",
  summary: "Set a new password: every session ends, the email is verified",
  description:
    "API keys keep working, unless this is the first verification of the email: then they are " +
    "revoked.",
  body: NewPasswordBody,
  response: documentedResponses({ 204: emptyResponse("The password is changed") }, [
    "unsupported_media_type",
    "invalid_token",
    "too_many_requests",
  ]),
};

export function mailTokenRoutes(
  app: App,
  uses: {
    readonly emailVerification: EmailVerification;
    readonly passwordResets: PasswordResets;
  },
): void {
  const { emailVerification, passwordResets } = uses;
  const preValidation = normalizeBodyEmail;

  app.post("/v1/auth/verification", { schema: verifySchema }, async (request, reply) => {
    await emailVerification.verify(request.body.token, clientIp(request));
    return reply.code(204).send();
  });

  app.post(
    "/v1/auth/verification/resend",
    { schema: resendSchema, preValidation },
    async (request, reply) => {
      await emailVerification.resend(request.body.email, clientIp(request));
      reply.code(202);
      return {};
    },
  );

  app.post(
    "/v1/auth/password-reset",
    { schema: requestResetSchema, preValidation },
    async (request, reply) => {
      await passwordResets.request(request.body.email, clientIp(request));
      reply.code(202);
      return {};
    },
  );

  app.post(
    "/v1/auth/password-reset/confirm",
    { schema: confirmResetSchema },
    async (request, reply) => {
      const { token, password } = request.body;
      await passwordResets.confirm(token, password, clientIp(request));
      return reply.code(204).send();
    },
  );
}

/** Trims and lower-cases an email before it is validated. */
export async function normalizeBodyEmail({ body }: FastifyRequest): Promise<void> {
  if (typeof body === "object" && body !== null && "email" in body) {
    if (typeof body.email === "string") body.email = normalizeEmail(body.email);
  }
}
