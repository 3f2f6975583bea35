import type { Static } from "typebox";
import type {
  accountDetailsJson,
  SettingsBody,
  ThresholdsBody,
} from "../../../src/customers/accounts/json.ts";
import type { EventSchema } from "../../../src/platform/audit/json.ts";
import { session } from "../session.ts";
import {
  ApiError,
  ask,
  askAsOwner,
  asOwner,
  bodyOf,
  isUnauthorized,
  sendAsOwner,
} from "./request.ts";

export type Account = ReturnType<typeof accountDetailsJson>;

export type AccountSettings = Static<typeof SettingsBody>;

export type Threshold = Static<typeof ThresholdsBody>["thresholds"][number];

/** A threshold as a person states it: the service checks it. */
export type StatedThreshold = Omit<Threshold, "percent" | "units"> &
  Readonly<Partial<Record<"percent" | "units", string | number | null>>>;

export type AccountEvent = Static<typeof EventSchema>;

export const readAccount = () => askAsOwner<Account>("v1/account");

/** Reads everything that is stored about the account, as the text of a complete JSON document. */
export async function exportAccount(): Promise<string> {
  const response = await sendAsOwner("v1/account/export", {});
  bodyOf(response);
  return response.text;
}

/**
 * Deletes the account. A wrong password does not end the session.
 *
 * @throws {ApiError} `unauthorized` for a wrong password.
 */
export async function deleteAccount(password: string): Promise<void> {
  const token = session.value?.token ?? "";
  try {
    await ask<void>("v1/account", {
      method: "DELETE",
      json: { password },
      headers: asOwner(token),
    });
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    // A session that is over gets the same code: then this request fails, too, and ends it here.
    await readAccount();
    throw new ApiError("unauthorized", "The password is incorrect. Nothing was deleted.");
  }
}

export const readSettings = () => askAsOwner<AccountSettings>("v1/account/settings");

export const changeSettings = (settings: AccountSettings) =>
  askAsOwner<AccountSettings>("v1/account/settings", { method: "PATCH", json: settings });

interface Thresholds {
  readonly thresholds: readonly Threshold[];
}

export const readThresholds = async () =>
  (await askAsOwner<Thresholds>("v1/account/thresholds")).thresholds;

export const setThresholds = (thresholds: readonly StatedThreshold[]) =>
  askAsOwner<Thresholds>("v1/account/thresholds", { method: "PUT", json: { thresholds } });

/**
 * Lists a page of the account's events, newest first.
 *
 * @param before the id of an event: only older ones are listed.
 */
export async function listEvents(before?: string): Promise<readonly AccountEvent[]> {
  const query = before === undefined ? "" : `?before=${before}`;
  const path = `v1/account/events${query}`;
  return (await askAsOwner<{ readonly events: readonly AccountEvent[] }>(path)).events;
}
