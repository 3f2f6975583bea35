import { normalizeBodyEmail } from "../../platform/http/body-email.ts";
import { clientAddress } from "../../platform/http/client-address.ts";
import type { App } from "../../platform/http/fastify.ts";
import { documentedResponses, emptyResponse } from "../../platform/http/openapi/responses.ts";
import { invalidJson, notJson } from "../../platform/http/response/error-handler.ts";
import { Type } from "../../platform/shared/json-schema.ts";
import { tooManyAttempts } from "../auth-limit/auth-limiter.ts";
import { EmailBody, MailTokenBody, NewPasswordBody } from "./json.ts";
import type { MailedLinks } from "./mailed-links.ts";
import { invalidToken, MAILS_PER_HOUR_MAX, VALID_TOKENS_MAX } from "./rules.ts";

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
  description:
    "Works without a session, and once. An account can be used before, unless the operator " +
    "requires a verified email.",
  body: MailTokenBody,
  response: documentedResponses({ 204: emptyResponse("The email is verified") }, [
    invalidJson,
    notJson,
    invalidToken,
  ]),
};

const resendSchema = {
  ...common,
  operationId: "resendVerification",
  summary: "Mail another token, valid for 24 hours; older ones stay valid",
  description: MAIL_LIMITS,
  body: EmailBody,
  response: documentedResponses({ 202: accepted }, [invalidJson, notJson, tooManyAttempts(900)]),
};

const requestResetSchema = {
  ...common,
  operationId: "requestPasswordReset",
  summary: "Mail a token for a new password, valid for 1 hour; older ones stay valid",
  description: MAIL_LIMITS,
  body: EmailBody,
  response: documentedResponses({ 202: accepted }, [invalidJson, notJson, tooManyAttempts(900)]),
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
    invalidJson,
    notJson,
    invalidToken,
    tooManyAttempts(900),
  ]),
};

export function mailTokenRoutes(
  app: App,
  { mailedLinks }: { readonly mailedLinks: MailedLinks },
): void {
  const preValidation = normalizeBodyEmail;

  app.post("/v1/auth/verification", { schema: verifySchema }, async (request, reply) => {
    await mailedLinks.verifyEmail(request.body.token, clientAddress(request));
    return reply.code(204).send();
  });

  app.post(
    "/v1/auth/verification/resend",
    { schema: resendSchema, preValidation },
    async (request, reply) => {
      await mailedLinks.send("verification", request.body.email, clientAddress(request));
      reply.code(202);
      return {};
    },
  );

  app.post(
    "/v1/auth/password-reset",
    { schema: requestResetSchema, preValidation },
    async (request, reply) => {
      await mailedLinks.send("password_reset", request.body.email, clientAddress(request));
      reply.code(202);
      return {};
    },
  );

  app.post(
    "/v1/auth/password-reset/confirm",
    { schema: confirmResetSchema },
    async (request, reply) => {
      const { token, password } = request.body;
      await mailedLinks.resetPassword(token, password, clientAddress(request));
      return reply.code(204).send();
    },
  );
}
