import { type SessionGuard, sessionOf } from "../../platform/http/authentication.ts";
import type { App } from "../../platform/http/fastify.ts";
import { documentedResponses, emptyResponse } from "../../platform/http/openapi/responses.ts";
import { invalidJson, notJson } from "../../platform/http/response/error-handler.ts";
import type { SendPieces } from "../../platform/http/response/list.ts";
import { type ListGuard, untilWritten } from "../../platform/http/unpaid-responses.ts";
import { sessionRequired } from "../../platform/shared/failure.ts";
import { Type } from "../../platform/shared/json-schema.ts";
import { tooManyAttempts } from "../auth-limit/auth-limiter.ts";
import { wrongPassword } from "../passwords/rules.ts";
import type { DeleteAccount } from "./administration.ts";
import type { ExportOwnAccount } from "./export.ts";
import { PasswordBody } from "./json.ts";

const common = { tags: ["Account"], security: [{ Session: [] }] };

const deleteSchema = {
  ...common,
  operationId: "deleteAccount",
  summary: "Delete the account, with its password",
  description:
    "Its keys, sessions and links are rejected from the next request on, and its email can " +
    "register again. The service keeps the account's id, plan, quota, customer number and times, " +
    "its granted units, the units by month and by key's id and day, and its events without " +
    "addresses and details. A wrong password counts as a failed log-in.",
  body: PasswordBody,
  response: documentedResponses(
    { 204: emptyResponse("The account is deleted") },
    [invalidJson, notJson, wrongPassword, tooManyAttempts(900)],
    { conditions: { unauthorized: "no valid session, or the password is wrong" } },
  ),
};

const exportSchema = {
  ...common,
  operationId: "exportAccount",
  summary: "Export everything that is stored about the account",
  description: "Digests of the password, keys, sessions and links are left out.",
  response: documentedResponses(
    { 200: Type.Ref("AccountExport#", { description: "The export" }) },
    [sessionRequired, tooManyAttempts(900)],
  ),
};

/** What owners do to their whole account. */
export function ownAccountRoutes(
  app: App,
  uses: {
    readonly deleteAccount: DeleteAccount;
    readonly exportOwnAccount: ExportOwnAccount;
    readonly sessionGuard: SessionGuard;
    readonly listGuard: ListGuard;
    readonly sendPieces: SendPieces;
  },
): void {
  const { deleteAccount, exportOwnAccount, sendPieces, listGuard } = uses;
  const { sessionGuard: onRequest } = uses;
  const url = "/v1/account";

  app.delete(url, { schema: deleteSchema, onRequest }, async (request, reply) => {
    await deleteAccount(sessionOf(request), request.body.password);
    return reply.code(204).send();
  });

  app.get(
    `${url}/export`,
    { schema: exportSchema, onRequest: listGuard },
    async (request, reply) => {
      const isSent = untilWritten(reply.raw);
      return sendPieces(reply, await exportOwnAccount(sessionOf(request), isSent));
    },
  );
}
