import type { ConsumeAuthAttempt } from "../auth-limit/auth-limiter.ts";
import { accountOf, type SessionGuard } from "../http/authentication.ts";
import { clientIp } from "../http/client-address.ts";
import type { App } from "../http/fastify.ts";
import { documentedResponses } from "../http/openapi.ts";
import type { Clock } from "../shared/clock.ts";
import { sessionRequired } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import { originNow } from "../shared/origin.ts";
import type { Secrets } from "../shared/secrets.ts";
import type { SettingsStore } from "./settings.ts";
import { SettingsBody, settingsJson } from "./settings-json.ts";

const common = { tags: ["Account"], security: [{ Session: [] }] };

const success = { 200: Type.Ref("AccountSettings#", { description: "The settings" }) };

const readSchema = {
  ...common,
  operationId: "readSettings",
  summary: "Read the account's settings",
  response: documentedResponses(success, ["unauthorized"]),
};

const changeSchema = {
  ...common,
  operationId: "changeSettings",
  summary: "Turn the mails about the quota on or off",
  description:
    "Each mail is written once per billing period: turning them off and on again does not repeat " +
    "one.",
  body: SettingsBody,
  response: documentedResponses(success, [
    "unsupported_media_type",
    "unauthorized",
    "too_many_requests",
  ]),
};

export function settingsRoutes(
  app: App,
  uses: {
    readonly store: { readonly settings: SettingsStore };
    readonly clock: Clock;
    readonly secrets: Pick<Secrets, "uuid">;
    readonly sessionGuard: SessionGuard;
    readonly consumeAuthAttempt: ConsumeAuthAttempt;
  },
): void {
  const { store, sessionGuard: onRequest } = uses;

  const settingsOf = async (accountId: string) => {
    const settings = await store.settings.ofAccount(accountId);
    // Deleted since the session was found.
    if (settings === undefined) throw sessionRequired;
    return settingsJson(settings);
  };

  app.get("/v1/account/settings", { schema: readSchema, onRequest }, (request) =>
    settingsOf(accountOf(request)),
  );

  app.patch("/v1/account/settings", { schema: changeSchema, onRequest }, async (request) => {
    const accountId = accountOf(request);
    const address = clientIp(request);
    // Each change adds an event to the audit log.
    await uses.consumeAuthAttempt(address, `settings of ${accountId}`);
    const origin = originNow({ kind: "account", address }, uses);
    await store.settings.change(accountId, { quotaMails: request.body.quota_mails }, origin);
    return settingsOf(accountId);
  });
}
