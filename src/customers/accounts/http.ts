import { accountOf, type SessionGuard, sessionOf } from "../../platform/http/authentication.ts";
import type { App } from "../../platform/http/fastify.ts";
import { documentedResponses } from "../../platform/http/openapi/responses.ts";
import { invalidJson, notJson } from "../../platform/http/response/error-handler.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { sessionRequired } from "../../platform/shared/failure.ts";
import { Type } from "../../platform/shared/json-schema.ts";
import { ownerNow } from "../../platform/shared/origin.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { type ConsumeAuthAttempt, changesOf, tooManyAttempts } from "../auth-limit/auth-limiter.ts";
import type { ThresholdStore } from "../billing/rules.ts";
import { accountDetailsJson, SettingsBody, settingsJson, ThresholdsBody } from "./json.ts";
import type { AccountStore } from "./store.ts";

const common = { tags: ["Account"], security: [{ Session: [] }] };

const readSchema = {
  ...common,
  operationId: "getAccount",
  summary: "Get the account's email, plan and time of creation",
  description: "Of the account whose session the request has.",
  response: documentedResponses(
    { 200: Type.Ref("AccountDetails#", { description: "The account" }) },
    [sessionRequired],
  ),
};

const settings = { 200: Type.Ref("AccountSettings#", { description: "The settings" }) };

const readSettingsSchema = {
  ...common,
  operationId: "getSettings",
  summary: "Get the account's settings",
  description: "Whether it gets mails about its quota.",
  response: documentedResponses(settings, [sessionRequired]),
};

const changeFailures = [invalidJson, notJson, sessionRequired, tooManyAttempts(900)];

const changeSettingsSchema = {
  ...common,
  operationId: "updateSettings",
  summary: "Turn the mails about the quota on or off",
  description:
    "Each mail is written once per billing period: turning them off and on again does not repeat " +
    "one.",
  body: SettingsBody,
  response: documentedResponses(settings, changeFailures),
};

const thresholds = { 200: Type.Ref("Thresholds#", { description: "The thresholds" }) };

const readThresholdsSchema = {
  ...common,
  operationId: "getThresholds",
  summary: "Get the thresholds of usage at which the account gets mails",
  description: "Until an account sets its own, they are 80 and 100 % of its quota.",
  response: documentedResponses(thresholds, [sessionRequired]),
};

const setThresholdsSchema = {
  ...common,
  operationId: "setThresholds",
  summary: "Set the thresholds of usage at which the account gets mails",
  description: "Instead of all earlier ones. Each is mentioned once per billing period.",
  body: ThresholdsBody,
  response: documentedResponses(thresholds, changeFailures),
};

export function accountRoutes(
  app: App,
  uses: {
    readonly store: { readonly accounts: AccountStore; readonly thresholds: ThresholdStore };
    readonly clock: Clock;
    readonly secrets: Pick<Secrets, "uuid" | "hash">;
    readonly consumeAuthAttempt: ConsumeAuthAttempt;
    readonly sessionGuard: SessionGuard;
  },
): void {
  const { store, sessionGuard: onRequest } = uses;
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
    const session = sessionOf(request);
    const { accountId } = session;
    // Each change adds an event to the audit log.
    await uses.consumeAuthAttempt(changesOf(accountId), "settings");
    const origin = ownerNow(session, uses);
    await store.accounts.setQuotaMails(accountId, request.body.quota_mails, origin);
    return settingsJson(await storedAccount(accountId));
  });

  app.get(`${url}/thresholds`, { schema: readThresholdsSchema, onRequest }, async (request) => ({
    thresholds: await store.thresholds.read(accountOf(request)),
  }));

  app.put(`${url}/thresholds`, { schema: setThresholdsSchema, onRequest }, async (request) => {
    const session = sessionOf(request);
    const { accountId } = session;
    await uses.consumeAuthAttempt(changesOf(accountId), "thresholds");
    const { thresholds: given } = request.body;
    const origin = ownerNow(session, uses);
    return { thresholds: await store.thresholds.set(accountId, given, origin) };
  });
}
