import type { Clock } from "../../../platform/shared/clock.ts";
import type { DocumentRequest } from "../publishers/publisher.ts";
import { SourceError } from "../source.ts";

/** Validators for a conditional request, which allow a 304 response (RFC 9110, section 13). */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface FetchedResponse {
  readonly body: Uint8Array;
  readonly validators: Validators;
  /** The time of the Date header or, without one, of the arrival; milliseconds since 1970. */
  readonly receivedMs: number;
  /** The Cookie header of a request that follows; never stored. */
  readonly cookie: string;
}

export interface HttpLimits {
  /** For the whole exchange, redirects included. */
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  readonly redirectsMax: number;
}

export interface PublicationLimits extends HttpLimits {
  /** For all documents of a publication: less than a node's lease of the source. */
  readonly publicationMs: number;
}

/** The Central Bank of Nigeria sends its figures since 2001, some 8 MB, with each day's. */
export const publisherLimits: PublicationLimits = {
  timeoutMs: 20_000,
  publicationMs: 75_000,
  bodyBytesMax: 16 * 1024 * 1024,
  redirectsMax: 5,
};

/** Archives are larger: the ECB's of 27 years has some 7 MB. */
export const archiveLimits: HttpLimits = {
  timeoutMs: 120_000,
  bodyBytesMax: 64 * 1024 * 1024,
  redirectsMax: 5,
};

/** The response has another status than 2xx. */
export class StatusError extends SourceError {
  readonly status: number;

  constructor(address: string, status: number) {
    super(`${hostOf(address)} responded with ${status}`);
    this.status = status;
  }
}

/**
 * Sends a request as a polite client: with a User-Agent, conditional if validators are known, and
 * stopped when it takes too long, its body is too large or it is redirected too often.
 *
 * @returns `"unchanged"` for a 304.
 * @throws {StatusError} for a status that is not 2xx.
 * @throws {SourceError} with the reason for anything else but a 2xx with a body.
 */
export async function httpRequest(
  { address, body, headers, credentials }: DocumentRequest,
  settings: {
    /** With their ports: a redirect to any other host is not followed. */
    readonly hosts: readonly string[];
    readonly userAgent: string;
    readonly validators: Validators;
    readonly limits: HttpLimits;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<FetchedResponse | "unchanged"> {
  const { limits, clock, hosts } = settings;
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const signal = AbortSignal.any([settings.signal, timeout]);
  try {
    const request = { headers: { ...createHeaders(settings), ...headers }, body, hosts, signal };
    const sent = credentials === undefined ? address : withQuery(address, credentials);
    const response = await follow(sent, request, limits.redirectsMax);
    if (response.status === 304 && isConditional(settings.validators)) return "unchanged";
    if (!response.ok) {
      await response.body?.cancel();
      throw new StatusError(address, response.status);
    }
    const content = await bodyOf(response, limits.bodyBytesMax);
    const receivedMs = readDate(response) ?? clock.nowMs();
    const cookie = response.headers.getSetCookie().map((one) => one.split(";", 1)[0]);
    const validators = validatorsOf(response);
    return { body: content, validators, receivedMs, cookie: cookie.join("; ") };
  } catch (error) {
    if (error instanceof SourceError) throw error;
    if (settings.signal.aborted) {
      const isLate = (settings.signal.reason as Error).name === "TimeoutError";
      const why = isLate ? "its documents took too long" : "stopped before it was fetched";
      throw new SourceError(why, error);
    }
    if (timeout.aborted) {
      const seconds = limits.timeoutMs / 1000;
      throw new SourceError(`${hostOf(address)} did not respond within ${seconds} s`, error);
    }
    throw new SourceError(`${hostOf(address)}: ${causeOf(error)}`, error, isUnreachable(error));
  }
}

function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

function isConditional({ etag, lastModified }: Validators): boolean {
  return etag !== undefined || lastModified !== undefined;
}

function createHeaders({ userAgent, validators }: { userAgent: string; validators: Validators }) {
  const headers: Record<string, string> = { "user-agent": userAgent };
  if (validators.etag !== undefined) headers["if-none-match"] = validators.etag;
  if (validators.lastModified !== undefined) headers["if-modified-since"] = validators.lastModified;
  return headers;
}

/**
 * Follows redirects within the source's hosts. All addresses in the catalogue are https, so every
 * redirect must be, too: no other host may state the source's rates. A POST is repeated only where
 * the redirect says so (RFC 9110, sections 15.4.8 and 15.4.9).
 */
async function follow(
  address: string,
  request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
    readonly hosts: readonly string[];
    readonly signal: AbortSignal;
  },
  redirectsLeft: number,
): Promise<Response> {
  const { headers, body, hosts, signal } = request;
  const post = body === undefined ? {} : { method: "POST", body };
  const response = await fetch(address, { headers, ...post, redirect: "manual", signal });
  const location = response.headers.get("location");
  const statuses = body === undefined ? [301, 302, 303, 307, 308] : [307, 308];
  if (!statuses.includes(response.status) || location === null) return response;
  await response.body?.cancel();
  const from = hostOf(address);
  if (redirectsLeft === 0) throw new SourceError(`${from} redirects too many times`);
  const next = URL.parse(location, address);
  if (next === null || !/^https?:$/.test(next.protocol)) {
    throw new SourceError(`${from} redirects to something that is not a web address`);
  }
  if (address.startsWith("https:") && next.protocol !== "https:") {
    throw new SourceError(`${from} redirects from https to http`);
  }
  if (!hosts.includes(next.host)) {
    throw new SourceError(`${from} redirects to another host, ${next.host}, which is not followed`);
  }
  return follow(next.href, request, redirectsLeft - 1);
}

async function bodyOf(response: Response, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      throw new SourceError(`the response is larger than ${bytesMax / 1024 / 1024} MiB`);
    }
    chunks.push(chunk);
  }
  if (bytes === 0) throw new SourceError("the response is empty");
  return Buffer.concat(chunks);
}

function validatorsOf({ headers }: Response): Validators {
  const etag = headers.get("etag");
  const lastModified = headers.get("last-modified");
  return { ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) };
}

function readDate({ headers }: Response): number | undefined {
  const dateMs = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}

/** Errors of a machine without a network or without a resolver of names. */
const unreachable = new Set(["ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "ENETDOWN"]);

function isUnreachable(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return unreachable.has(cause?.code ?? "");
}

/** The message of a fetch error is just "fetch failed"; its cause has the reason. */
function causeOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error
    ? cause.message || String((cause as { code?: string }).code)
    : message;
}
