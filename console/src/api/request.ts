import type { FailureCode } from "../../../src/platform/shared/failure.ts";
import { root } from "../router.ts";
import { endSession, session } from "../session.ts";

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
export async function ask<Body>(path: string, call: Call = {}): Promise<Body> {
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

export const asOwner = (token: string) => ({ authorization: `Session ${token}` });

/**
 * Sends a request with the session's token. An expired session leads to the log-in and back.
 *
 * @throws {ApiError} when the service responded with an error, or not at all.
 */
export async function sendAsOwner(path: string, call: Call): Promise<TextResponse> {
  const token = session.value?.token ?? "";
  const response = await send(path, { ...call, headers: { ...call.headers, ...asOwner(token) } });
  if (response.status < 400) return response;
  const error = errorOf(response);
  if (isUnauthorized(error)) endSession("expired", token);
  throw error;
}

/** Like `ask`, with the session's token. */
export async function askAsOwner<Body>(path: string, call: Call = {}): Promise<Body> {
  return bodyOf(await sendAsOwner(path, call));
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unauthorized";
}

export const post = (json: unknown): Call => ({ method: "POST", json });
