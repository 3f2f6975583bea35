import { accountDetailsJson, PasswordBody } from "../accounts/json.ts";
import type { AccountStore } from "../accounts/store.ts";
import { accountOf, credentialOf, type SessionGuard } from "../http/authentication.ts";
import { clientIp } from "../http/client-address.ts";
import type { App } from "../http/fastify.ts";
import { documentedResponses, emptyResponse } from "../http/openapi.ts";
import type { SendPieces } from "../http/response/list.ts";
import type { ListGuard } from "../http/unpaid-responses.ts";
import { sessionRequired } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import type { DeleteAccount } from "./deletion.ts";
import type { ExportOwnAccount } from "./export.ts";

const common = { tags: ["Account"], security: [{ Session: [] }] };

const readSchema = {
  ...common,
  operationId: "readAccount",
  summary: "Read the account's email, plan and time of creation",
  response: documentedResponses(
    { 200: Type.Ref("AccountDetails#", { description: "The account" }) },
    ["unauthorized"],
  ),
};

const deleteSchema = {
  ...common,
  operationId: "deleteAccount",
  summary: "Delete the account, with its password",
  description:
    "Its keys, sessions and links are rejected from the next request on, and its email can " +
    "register again. The service keeps the account's id, plan and times, the units by month and " +
    "by key's id and day, and its events without addresses and details. A wrong password counts " +
    "as a failed log-in.",
  body: PasswordBody,
  response: documentedResponses({ 204: emptyResponse("The account is deleted") }, [
    "unsupported_media_type",
    "unauthorized",
    "too_many_requests",
  ]),
};

const exportSchema = {
  ...common,
  operationId: "exportAccount",
  summary: "Export everything that is stored about the account",
  description: "Digests of the password, keys, sessions and links are left out.",
  response: documentedResponses(
    { 200: Type.Ref("AccountExport#", { description: "The export" }) },
    ["unauthorized", "too_many_requests"],
  ),
};

export function accountRoutes(
  app: App,
  uses: {
    readonly store: { readonly accounts: AccountStore };
    readonly deleteAccount: DeleteAccount;
    readonly exportOwnAccount: ExportOwnAccount;
    readonly sessionGuard: SessionGuard;
    readonly listGuard: ListGuard;
    readonly sendPieces: SendPieces;
  },
): void {
  const { store, deleteAccount, exportOwnAccount, sendPieces, listGuard } = uses;
  const { sessionGuard: onRequest } = uses;
  const url = "/v1/account";

  app.get(url, { schema: readSchema, onRequest }, async (request) => {
    const account = await store.accounts.findById(accountOf(request));
    // Deleted since the session was found.
    if (account === undefined) throw sessionRequired;
    return accountDetailsJson(account);
  });

  app.delete(url, { schema: deleteSchema, onRequest }, async (request, reply) => {
    const { password } = request.body;
    await deleteAccount(accountOf(request), { password, clientIp: clientIp(request) });
    return reply.code(204).send();
  });

  app.get(
    `${url}/export`,
    { schema: exportSchema, onRequest: listGuard },
    async (request, reply) => {
      const token = credentialOf(request.raw, "Session") ?? "";
      const session = { token, clientIp: clientIp(request) };
      return sendPieces(reply, await exportOwnAccount(accountOf(request), session));
    },
  );
}
