import { accountDetailsJson, PasswordBody, SettingsBody, settingsJson } from "../accounts/json.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { ConsumeAuthAttempt } from "../auth-limit/auth-limiter.ts";
import { accountOf, credentialOf, type SessionGuard } from "../http/authentication.ts";
import { clientIp } from "../http/client-address.ts";
import type { App } from "../http/fastify.ts";
import { documentedResponses, emptyResponse } from "../http/openapi.ts";
import type { SendPieces } from "../http/response/list.ts";
import type { ListGuard } from "../http/unpaid-responses.ts";
import type { Clock } from "../shared/clock.ts";
import { sessionRequired } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import { originNow } from "../shared/origin.ts";
import type { Secrets } from "../shared/secrets.ts";
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

const settings = { 200: Type.Ref("AccountSettings#", { description: "The settings" }) };

const readSettingsSchema = {
  ...common,
  operationId: "readSettings",
  summary: "Read the account's settings",
  response: documentedResponses(settings, ["unauthorized"]),
};

const changeSettingsSchema = {
  ...common,
  operationId: "changeSettings",
  summary: "Turn the mails about the quota on or off",
  description:
    "Each mail is written once per billing period: turning them off and on again does not repeat " +
    "one.",
  body: SettingsBody,
  response: documentedResponses(settings, [
    "unsupported_media_type",
    "unauthorized",
    "too_many_requests",
  ]),
};

export function accountRoutes(
  app: App,
  uses: {
    readonly store: { readonly accounts: AccountStore };
    readonly clock: Clock;
    readonly secrets: Pick<Secrets, "uuid">;
    readonly consumeAuthAttempt: ConsumeAuthAttempt;
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

  const storedAccount = async (accountId: string) => {
    const account = await store.accounts.findById(accountId);
    // Deleted since the session was found.
    if (account === undefined) throw sessionRequired;
    return account;
  };

  app.get(url, { schema: readSchema, onRequest }, async (request) =>
    accountDetailsJson(await storedAccount(accountOf(request))),
  );

  app.get(`${url}/settings`, { schema: readSettingsSchema, onRequest }, async (request) =>
    settingsJson(await storedAccount(accountOf(request))),
  );

  app.patch(`${url}/settings`, { schema: changeSettingsSchema, onRequest }, async (request) => {
    const accountId = accountOf(request);
    const address = clientIp(request);
    // Each change adds an event to the audit log.
    await uses.consumeAuthAttempt(address, `settings of ${accountId}`);
    const origin = originNow({ kind: "account", address }, uses);
    await store.accounts.setQuotaMails(accountId, request.body.quota_mails, origin);
    return settingsJson(await storedAccount(accountId));
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
