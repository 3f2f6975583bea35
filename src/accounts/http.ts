import { accountOf, type SessionGuard } from "../http/authentication.ts";
import type { App } from "../http/fastify.ts";
import { documentedResponses } from "../http/openapi.ts";
import { sessionRequired } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import { accountDetailsJson } from "./json.ts";
import type { AccountStore } from "./store.ts";

const readSchema = {
  tags: ["Account"],
  security: [{ Session: [] }],
  operationId: "readAccount",
  summary: "Read the account's email, plan and time of creation",
  response: documentedResponses(
    { 200: Type.Ref("AccountDetails#", { description: "The account" }) },
    ["unauthorized"],
  ),
};

export function accountRoutes(
  app: App,
  uses: {
    readonly store: { readonly accounts: AccountStore };
    readonly sessionGuard: SessionGuard;
  },
): void {
  const { store, sessionGuard: onRequest } = uses;

  app.get("/v1/account", { schema: readSchema, onRequest }, async (request) => {
    const account = await store.accounts.findById(accountOf(request));
    // Deleted since the session was found.
    if (account === undefined) throw sessionRequired;
    return accountDetailsJson(account);
  });
}
