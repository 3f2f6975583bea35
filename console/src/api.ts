import type { Static } from "typebox";
import type { AccountSchema, accountDetailsJson, SessionSchema } from "../../src/accounts/json.ts";
import type { SettingsBody } from "../../src/accounts/settings-json.ts";
import type { ApiKeySchema, CreatedApiKeySchema } from "../../src/api-keys/json.ts";
import type { EventSchema } from "../../src/audit/json.ts";
import type { DailyUsageSchema, keyUsageJson, UsageSchema } from "../../src/billing/json.ts";
import type { CoveredPairSchema, CoveredSourceSchema } from "../../src/coverage/json.ts";
import type { aboutJson } from "../../src/pages/about.ts";
import type { RateSchema } from "../../src/rates/json.ts";
import type { listedSessionJson } from "../../src/sessions/json.ts";
import type { FailureCode } from "../../src/shared/failure.ts";
import { lastUsage } from "./quota.ts";
import { root } from "./router.ts";
import { endSession, session } from "./session.ts";

export type CreatedApiKey = Static<typeof CreatedApiKeySchema>;
export type ApiKey = Static<typeof ApiKeySchema>;
export type Account = ReturnType<typeof accountDetailsJson>;
export type ListedSession = ReturnType<typeof listedSessionJson>;
export type AccountSettings = Static<typeof SettingsBody>;
export type Usage = Static<typeof UsageSchema>;
export type DailyUsage = Static<typeof DailyUsageSchema>;
export type AccountEvent = Static<typeof EventSchema>;
export type CoveredSource = Static<typeof CoveredSourceSchema>;
export type CoveredPair = Static<typeof CoveredPairSchema>;
export type About = ReturnType<typeof aboutJson>;
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

  /** Whether the operator can help, who finds the request by its id; a field's error is the user's. */
  get isOperators(): boolean {
    return this.code === "internal_error" || this.code === "temporarily_unavailable";
  }

  /** Whether the same call may succeed a moment later. */
  get isPassing(): boolean {
    return this.code === "unreachable" || this.code === "temporarily_unavailable";
  }
}

export interface TextResponse {
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
export async function send(
  path: string,
  { method = "GET", headers, json }: Call,
): Promise<TextResponse> {
  const options: RequestInit = { method, headers: { ...headers }, credentials: "omit" };
  if (json !== undefined) {
    options.headers = { ...headers, "content-type": "application/json" };
    options.body = JSON.stringify(json);
  }
  try {
    const response = await fetch(`${root}${path}`, options);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch {
    throw unreachable();
  }
}

function unreachable(): ApiError {
  return new ApiError("unreachable", "The service cannot be reached.");
}

/** @throws {ApiError} when the service responded with an error, or not at all. */
async function ask<Body>(path: string, call: Call = {}): Promise<Body> {
  const response = await send(path, call);
  if (response.status < 300) return bodyOf(response);
  throw errorOf(response);
}

/**
 * Parses the body of a successful response.
 *
 * @throws {ApiError} `unreachable` when it is not complete JSON: a proxy sent something else.
 */
export function bodyOf<Body>({ status, text }: TextResponse): Body {
  try {
    return (status === 204 ? undefined : JSON.parse(text)) as Body;
  } catch {
    throw unreachable();
  }
}

/** The error in a response's envelope; a proxy may have sent something else. */
export function errorOf({ status, text }: TextResponse): ApiError {
  try {
    const { code, message, request_id } = JSON.parse(text);
    if (typeof message === "string") return new ApiError(code, message, request_id);
  } catch {
    // Not an envelope: reported below.
  }
  return new ApiError("unreachable", `The service cannot be reached (HTTP ${status}).`);
}

const asOwner = (token: string) => ({ authorization: `Session ${token}` });

/**
 * Sends a request with the session's token. An expired session leads to the log-in and back.
 *
 * @throws {ApiError} when the service responded with an error, or not at all.
 */
async function sendAsOwner(path: string, call: Call): Promise<TextResponse> {
  const token = session.value?.token ?? "";
  const response = await send(path, { ...call, headers: { ...call.headers, ...asOwner(token) } });
  if (response.status < 400) return response;
  const error = errorOf(response);
  if (isUnauthorized(error)) endSession("expired", token);
  throw error;
}

/** Like `ask`, with the session's token. */
async function askAsOwner<Body>(path: string, call: Call = {}): Promise<Body> {
  return bodyOf(await sendAsOwner(path, call));
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unauthorized";
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

/** A key, and how it was used. */
export type KeyWithUsage = ApiKey & Pick<KeyUsage, "last_used_on" | "units">;

type KeyUsage = ReturnType<typeof keyUsageJson>;

/** Lists the account's keys, oldest first. */
export async function listKeysWithUsage(): Promise<readonly KeyWithUsage[]> {
  const [keys, { api_keys: usages }] = await Promise.all([
    listApiKeys(),
    askAsOwner<{ readonly api_keys: readonly KeyUsage[] }>("v1/account/usage/api-keys"),
  ]);
  const usageOf = new Map(usages.map((usage) => [usage.api_key_id, usage]));
  return keys.map((key) => {
    // A key that was created between the two responses has no usage yet.
    const { last_used_on = null, units = 0 } = usageOf.get(key.id) ?? {};
    return { ...key, last_used_on, units };
  });
}

export const createApiKey = (name: string) =>
  askAsOwner<CreatedApiKey>("v1/account/api-keys", post({ name }));

export const revokeApiKey = (id: string) =>
  askAsOwner<void>(`v1/account/api-keys/${id}`, { method: "DELETE" });

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

export const listSessions = async () =>
  (await askAsOwner<{ readonly sessions: readonly ListedSession[] }>("v1/account/sessions"))
    .sessions;

/** Ends a session; one that is over already counts as ended. */
export async function endListedSession(id: string): Promise<void> {
  try {
    await askAsOwner<void>(`v1/account/sessions/${id}`, { method: "DELETE" });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
  }
}

export const endOtherSessions = () => askAsOwner<void>("v1/account/sessions", { method: "DELETE" });

export const readSettings = () => askAsOwner<AccountSettings>("v1/account/settings");

export const changeSettings = (settings: AccountSettings) =>
  askAsOwner<AccountSettings>("v1/account/settings", { method: "PATCH", json: settings });

export async function readUsage(): Promise<Usage> {
  const reader = session.value?.token;
  const usage = await askAsOwner<Usage>("v1/account/usage");
  if (session.peek()?.token === reader) lastUsage.value = usage;
  return usage;
}

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

export const listSources = async () =>
  (await askAsOwner<{ readonly sources: readonly CoveredSource[] }>("v1/account/sources")).sources;

/** A page of the pairs that a read can get. */
export interface PairsPage {
  readonly etag: string | undefined;
  readonly pairs: readonly CoveredPair[];
  /** The last pair, `EUR/USD`, if there are more. */
  readonly next: string | null;
}

/**
 * Lists a page of the pairs.
 *
 * @param after the `next` of the page before; undefined for the first page.
 * @param known an earlier response for the same page, which is returned while nothing has changed.
 */
export async function listPairs(
  after: string | undefined,
  known: PairsPage | undefined,
): Promise<PairsPage> {
  const headers: Record<string, string> = known?.etag ? { "if-none-match": known.etag } : {};
  const query = after === undefined ? "" : `?after=${after}`;
  const response = await sendAsOwner(`v1/account/pairs${query}`, { headers });
  if (response.status === 304 && known !== undefined) return known;
  return {
    etag: response.headers.get("etag") ?? undefined,
    ...bodyOf<Pick<PairsPage, "pairs" | "next">>(response),
  };
}

/** What a visitor may know of the service. */
export const readAbout = () => ask<About>("about.json");
