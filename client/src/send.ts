import { type CallOptions, type Deadline, startDeadline } from "./deadline.ts";
import type { components } from "./openapi.ts";
import type {
  ClientError,
  Failed,
  Operation,
  Result,
  Success,
  UnitsCharged,
} from "./operations.ts";

/** What all calls of a client share. */
export interface Connection {
  /** Without a slash at its end. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** The value of the Authorization header. */
  readonly authorization?: string | undefined;
  /** Further headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Whether a request may cost a unit: Units-Charged then says what it cost. */
  readonly isMetered?: boolean;
  /**
   * Whether the JSON of a success is the operation's, undefined for status 204; by default any
   * object.
   */
  readonly isData?: (value: unknown) => boolean;
}

/** A result whose operation only the caller of `send` knows. */
type Outcome = Success<unknown> | Failed<UnknownError>;
type UnknownError = Pick<ClientError, "message" | "cause" | "retryAfterSeconds"> & {
  readonly code: string;
};

/** The mean wait before the first retry, besides Retry-After; doubled for each further one. */
const FIRST_BACKOFF_MS = 100;

/**
 * Sends a request, and repeats it within the deadline while the service rejects it before any work.
 *
 * @throws {RangeError} for an invalid `timeoutMs`.
 */
export async function send<Name extends Operation>(
  connection: Connection,
  call: Call,
  { signal, timeoutMs = connection.timeoutMs }: CallOptions = {},
): Promise<Result<Name>> {
  const deadline = startDeadline(timeoutMs, [connection.signal, signal]);
  try {
    // The document says which codes and which data an operation has.
    return (await sendUntil(deadline, connection, call)) as Result<Name>;
  } finally {
    deadline.release();
  }
}

async function sendUntil(deadline: Deadline, connection: Connection, call: Call): Promise<Outcome> {
  for (let retries = 0; ; retries += 1) {
    const error = deadline.error();
    // No request is open: nothing was charged.
    if (error !== undefined) return { error, unitsCharged: 0, response: undefined };
    const outcome = await attempt(deadline, connection, call);
    const waitMs = waitBeforeRetryMs(call, outcome, retries);
    if (waitMs === undefined || waitMs >= deadline.leftMs()) return outcome;
    await deadline.sleep(waitMs);
  }
}

/** @returns undefined where a repetition could pay or act twice, or would not help. */
function waitBeforeRetryMs(
  { isMetered, method }: Call,
  { error, unitsCharged }: Outcome,
  retries: number,
): number | undefined {
  if (error?.retryAfterSeconds === undefined || unitsCharged !== 0) return undefined;
  const isUnavailable = error.code === ("temporarily_unavailable" satisfies ServiceCode);
  const isLimited = error.code === ("too_many_requests" satisfies ServiceCode);
  // The auth limiter rejects before any work; an unavailable store may have done some.
  if (!(isLimited || (isUnavailable && (isMetered || method === "GET")))) return undefined;
  const backoffMs = FIRST_BACKOFF_MS * 2 ** retries * (0.5 + Math.random());
  return error.retryAfterSeconds * 1000 + backoffMs;
}

type ServiceCode = components["schemas"]["ErrorResponse"]["code"];

async function attempt(
  deadline: Deadline,
  { url, fetch }: Connection,
  { method, path, authorization, json, isMetered = false, isData = isObject, ...call }: Call,
): Promise<Outcome> {
  const headers: Record<string, string> = { accept: "application/json", ...call.headers };
  if (authorization !== undefined) headers.authorization = authorization;
  if (json !== undefined) headers["content-type"] = "application/json";
  const body = json === undefined ? null : JSON.stringify(json);
  const { signal } = deadline;
  let response: Response | undefined;
  const work = async () => {
    // A redirect would repeat the request elsewhere, perhaps with the credential.
    response = await fetch(url + path, { method, headers, body, signal, redirect: "manual" });
    return outcomeOf(response, await response.text(), { isMetered, isData });
  };
  const failed = (error: UnknownError): Outcome => {
    return { error, unitsCharged: unitsOf(response, isMetered), response };
  };
  try {
    const outcome = await deadline.race(work());
    return "code" in outcome ? failed(outcome) : outcome;
  } catch (cause) {
    const message = "The connection failed: check the address and the network.";
    const network = { code: "client:network", message, cause, retryAfterSeconds: undefined };
    return failed(deadline.error() ?? network);
  }
}

function outcomeOf(
  response: Response,
  body: string,
  { isMetered, isData }: Required<Pick<Call, "isMetered" | "isData">>,
): Outcome {
  const unitsCharged = unitsOf(response, isMetered);
  const value = response.status === 204 ? undefined : parse(body);
  if (response.ok && isData(value)) return { data: value, unitsCharged, response, body };
  const retryAfterSeconds = wholeNumber(response.headers.get("retry-after"));
  if (!response.ok && isObject(value) && typeof value.code === "string") {
    const error = { ...(value as { code: string; message: string }), retryAfterSeconds };
    return { error, unitsCharged, response };
  }
  const message = `The response (status ${response.status}) is not from Kurs: check the address.`;
  const error = { code: "client:response", message, retryAfterSeconds };
  return { error, unitsCharged, response };
}

function unitsOf(response: Response | undefined, isMetered: boolean): UnitsCharged {
  if (!isMetered) return 0;
  const units = wholeNumber(response?.headers.get("units-charged") ?? null);
  return units === 0 || units === 1 ? units : undefined;
}

export const wholeNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

/**
 * A text as a segment of a path. A URL would drop dots, and a proxy an empty segment: the service
 * gets the text `%2E` instead, which is no symbol and no id either, as for half a character.
 */
export const segmentOf = (text: string): string =>
  /^\.{0,2}$|\p{Surrogate}/u.test(text) ? "%252E" : encodeURIComponent(text);

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @returns null for a text that is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
