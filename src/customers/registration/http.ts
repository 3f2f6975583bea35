import { normalizeBodyEmail } from "../../platform/http/body-email.ts";
import { clientAddress } from "../../platform/http/client-address.ts";
import type { App } from "../../platform/http/fastify.ts";
import { documentedResponses } from "../../platform/http/openapi/responses.ts";
import { invalidJson, notJson } from "../../platform/http/response/error-handler.ts";
import { Type } from "../../platform/shared/json-schema.ts";
import { accountJson } from "../accounts/json.ts";
import { tooManyAttempts } from "../auth-limit/auth-limiter.ts";
import { RegistrationBody } from "./json.ts";
import { emailTaken, type Register } from "./register.ts";
import { noValidInvitation } from "./rules.ts";

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
    invalidJson,
    notJson,
    noValidInvitation.open,
    noValidInvitation.invite,
    emailTaken,
    tooManyAttempts(900),
  ]),
};

export function registrationRoutes(app: App, { register }: { readonly register: Register }): void {
  const preValidation = normalizeBodyEmail;

  app.post(
    "/v1/auth/register",
    { schema: registerSchema, preValidation },
    async (request, reply) => {
      const account = await register({ ...request.body, clientAddress: clientAddress(request) });
      reply.code(201);
      return accountJson(account);
    },
  );
}
