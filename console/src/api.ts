import type { Static } from "typebox";
import type { AccountSchema, SessionSchema } from "../../src/accounts/json.ts";
import type { SettingsBody } from "../../src/accounts/settings-json.ts";
import type { ApiKeySchema, CreatedApiKeySchema } from "../../src/api-keys/json.ts";
import type { EventSchema } from "../../src/audit/json.ts";
import type { DailyUsageSchema, UsageSchema } from "../../src/billing/json.ts";
import type { CoveredSourceSchema } from "../../src/rates/coverage-json.ts";
import type { RateSchema } from "../../src/rates/json.ts";
import type { FailureCode } from "../../src/shared/failure.ts";
import { root } from "./router.ts";
import { endSession, session } from "./session.ts";

export type CreatedApiKey = Static<typeof CreatedApiKeySchema>;
export type ApiKey = Static<typeof ApiKeySchema>;
export type AccountSettings = Static<typeof SettingsBody>;
export type Usage = Static<typeof UsageSchema>;
export type DailyUsage = Static<typeof DailyUsageSchema>;
export type AccountEvent = Static<typeof EventSchema>;
export type CoveredSource = Static<typeof CoveredSourceSchema>;
export type Rate = Static<typeof RateSchema>;

/** The error in a response's envelope; `unreachable` when the service sent no response. */
export class ApiError extends Error {
  readonly code: FailureCode | "unreachable";
  /** Undefined when the response did not come from the service. */
  readonly requestId: string | undefined;

  constructor(code: FailureCode | "unreachable", message: string, requestId?: string) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.requestId = requestId;
  }

  /** Whether the same call may succeed a moment later. */
  get isPassing(): boolean {
    return this.code === "unreachable" || this.code === "temporarily_unavailable";
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/**
 * Sends one request to the service that this page came from.
 *
 * @returns the response, whatever its status.
 * @throws {ApiError} `unreachable` when there was no response.
 */
export async function send(path: string, { method = "GET", headers, json }: Call): Promise<Answer> {
  const options: RequestInit = { method, headers: { ...headers }, credentials: "omit" };
  if (json !== undefined) {
    options.headers = { ...headers, "content-type": "application/json" };
    options.body = JSON.stringify(json);
  }
  try {
    const response = await fetch(`${root}${path}`, options);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch {
    throw new ApiError("unreachable", "The service cannot be reached.");
  }
}

/** @throws {ApiError} when the service responded with an error, or not at all. */
async function ask<Body>(path: string, call: Call = {}): Promise<Body> {
  const answer = await send(path, call);
  if (answer.status < 300)
    return (answer.text === "" ? undefined : JSON.parse(answer.text)) as Body;
  throw errorOf(answer);
}

/** The error in a response's envelope; a proxy may have sent something else. */
export function errorOf({ status, text }: Answer): ApiError {
  try {
    const { code, message, request_id } = JSON.parse(text);
    if (typeof message === "string") return new ApiError(code, message, request_id);
  } catch {
    // Not an envelope: reported below.
  }
  return new ApiError("unreachable", `The service cannot be reached (HTTP ${status}).`);
}

/** Like `ask`, with the session's token. An expired session leads to the log-in and back. */
async function askAsOwner<Body>(path: string, call: Call = {}): Promise<Body> {
  const token = session.value?.token ?? "";
  try {
    return await ask<Body>(path, { ...call, headers: { authorization: `Session ${token}` } });
  } catch (error) {
    if (error instanceof ApiError && error.code === "unauthorized") endSession("expired", token);
    throw error;
  }
}

type Credentials = { readonly email: string; readonly password: string };

const post = (json: unknown): Call => ({ method: "POST", json });

/** @param invitation the token of an invitation's mail. */
export const register = (credentials: Credentials, invitation?: string) =>
  ask<Static<typeof AccountSchema>>("v1/auth/register", post({ ...credentials, invitation }));

export const logIn = (credentials: Credentials) =>
  ask<Static<typeof SessionSchema>>("v1/auth/login", post(credentials));

export const logOut = () => askAsOwner<void>("v1/auth/logout", { method: "POST" });

export const verifyEmail = (token: string) => ask<void>("v1/auth/verification", post({ token }));

export const resendVerification = (email: string) =>
  ask<unknown>("v1/auth/verification/resend", post({ email }));

export const requestReset = (email: string) =>
  ask<unknown>("v1/auth/password-reset", post({ email }));

export const confirmReset = (token: string, password: string) =>
  ask<void>("v1/auth/password-reset/confirm", post({ token, password }));

export const listApiKeys = async () =>
  (await askAsOwner<{ readonly api_keys: readonly ApiKey[] }>("v1/account/api-keys")).api_keys;

export const createApiKey = (name: string) =>
  askAsOwner<CreatedApiKey>("v1/account/api-keys", post({ name }));

export const revokeApiKey = (id: string) =>
  askAsOwner<void>(`v1/account/api-keys/${id}`, { method: "DELETE" });

export const readSettings = () => askAsOwner<AccountSettings>("v1/account/settings");

export const changeSettings = (settings: AccountSettings) =>
  askAsOwner<AccountSettings>("v1/account/settings", { method: "PATCH", json: settings });

export const readUsage = () => askAsOwner<Usage>("v1/account/usage");

export const readDailyUsage = async (days: number) =>
  (await askAsOwner<DailyUsage>(`v1/account/usage/daily?days=${days}`)).days;

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

/** A source, and how many pairs it owns. */
export type SourceWithPairs = CoveredSource & { readonly pairs: number };

export async function listSources(): Promise<readonly SourceWithPairs[]> {
  const { sources, pairs } = await askAsOwner<Coverage>("v1/account/pairs");
  const counts = new Map<string, number>();
  for (const { source } of pairs) counts.set(source, (counts.get(source) ?? 0) + 1);
  return sources.map((source) => ({ ...source, pairs: counts.get(source.key) ?? 0 }));
}

interface Coverage {
  readonly sources: readonly CoveredSource[];
  readonly pairs: readonly { readonly source: string }[];
}
