import { type ComponentChildren, h } from "preact";
import type { Action } from "../../src/platform/audit/rules.ts";
import type { AccountEvent } from "./api/account.ts";
import { counted, formatRatio } from "./format.ts";

/** The actions that concern an account; the others concern plans, rates or the whole store. */
type AccountAction = Exclude<Action, `${"clock" | "plan" | "rate" | "rates" | "store"}.${string}`>;

/** Finds the name of a key by its id. */
export type KeyNames = ReadonlyMap<string, string>;

type Words = (event: AccountEvent, keyNames: KeyNames) => ComponentChildren;

const words: Record<AccountAction, Words> = {
  "account.registered": ({ details }) =>
    details.invited ? "Account created with an invitation" : "Account created",
  "account.created": () => "Account created",
  "account.invited": ({ details }) => `Invited${planIn(details, "to")}`,
  "account.invitation_withdrawn": () => "Invitation withdrawn",
  "account.plan_changed": ({ details }) => `Moved${planIn(details, "to")}`,
  "account.suspended": () => "Account suspended",
  "account.resumed": () => "Account resumed",
  "account.deleted": () => "Account deleted",
  "account.export_begun": () => "Export of the account's data started",
  "account.exported": () => "The account's data exported",
  "account.export_cut_off": () => "Export of the account's data interrupted",
  "account.quota_mails_changed": ({ details }) =>
    `Quota mails turned ${details.quota_mails ? "on" : "off"}`,
  "account.quota_changed": ({ details: { quota_units: units } }) =>
    units === undefined ? "Quota of the plan set" : `Quota of ${counted(units, "unit")} set`,
  "account.customer_number_changed": () => "Customer number changed",
  "units.granted": ({ details: { units, reference = "" } }) =>
    `${units === undefined ? "Units" : counted(units, "unit")} granted: ${reference}`,
  "units.revoked": ({ details: { reference = "" } }) => `Granted units revoked: ${reference}`,
  "email.verification_requested": () => "Confirmation mail requested",
  "email.verified": () => "Email confirmed",
  "password.reset_requested": () => "Password reset requested",
  "password.reset_link_created": () => "Password reset link created",
  "password.changed": ({ details: { keys_revoked: keys = 0 } }) =>
    keys === 0 ? "Password changed" : `Password changed; ${counted(keys, "key")} revoked`,
  "session.started": () => "Logged in",
  "session.ended": ({ actor, details }) =>
    actor === "account" && details.session_id === undefined
      ? "Logged out"
      : `Session ended${leakIn(details, "its token")}`,
  "sessions.ended": ({ details: { sessions } }) =>
    sessions === undefined ? "Sessions ended" : `${counted(sessions, "session")} ended`,
  "api_key.created": ({ details }, keyNames) => ["API key ", keyIn(details, keyNames), "created"],
  "api_key.revoked": ({ details }, keyNames) => {
    const what = keyIn(details, keyNames);
    return ["API key ", what, `revoked${leakIn(details, "it")}`];
  },
  "api_key.limits_set": ({ details }, keyNames) => {
    const what = keyIn(details, keyNames);
    return ["Limits of API key ", what, " set"];
  },
  "api_key.rotated": ({ details }, keyNames) => [
    "API key ",
    keyIn(details, keyNames),
    " replaced by a new one",
  ],
  "quota.threshold_reached": ({ details }, keyNames) => {
    const { threshold, units, key_prefix: prefix } = details;
    if (prefix !== undefined) return ["Threshold of API key ", keyIn(details, keyNames), "reached"];
    if (units !== undefined) return `${counted(units, "unit")} used`;
    if (threshold === undefined) return "Most of the quota used";
    return `${formatRatio(threshold / 100)} of the quota used`;
  },
  "thresholds.set": () => "Thresholds of usage changed",
};

/** What happened, in plain words; the action's name when this console does not know it. */
export function wordsOf(event: AccountEvent, keyNames: KeyNames): ComponentChildren {
  const { action } = event;
  return isKnown(action) ? words[action](event, keyNames) : h("code", null, action);
}

/** Who acted, or from where; an account that acts is the reader's own. */
export function originOf({ actor, address }: AccountEvent): string {
  if (actor === "operator") return "by an operator";
  if (actor === "service") return "by the service";
  return address === undefined ? "" : `from ${address}`;
}

function isKnown(action: string): action is AccountAction {
  return Object.hasOwn(words, action);
}

type Details = AccountEvent["details"];

const planIn = ({ plan }: Details, word: string) =>
  ` ${word} ${plan === undefined ? "a plan" : `plan ${plan}`}`;

const leakIn = ({ reason }: Details, what: string) =>
  reason === "burned" ? `: ${what} was found in a leak` : "";

function keyIn({ api_key_id: id = "", key_prefix: prefix }: Details, keyNames: KeyNames) {
  const name = keyNames.get(id);
  const code = prefix === undefined ? null : h("code", { class: "key-prefix" }, `${prefix}…`);
  return [name === undefined ? null : `“${name}” `, code, code && " "];
}
