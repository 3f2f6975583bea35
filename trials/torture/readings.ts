import { callOf, type Era, PATH } from "../../test/reads/mcp/messages.ts";
import type { Answer, Call } from "../../test/support/client.ts";
import { IMPORT_DATE, timeOf } from "./rates.ts";

/**
 * The path of a read: the fast path, node:http (through a header unknown to the fast path, or
 * HEAD), or MCP.
 */
export const ways = ["fast path", "node:http", "HEAD", "MCP 2025", "MCP 2026"] as const;
export type Way = (typeof ways)[number];

/** The outcome of a read on any path. */
export interface Reading {
  /** `ok`, or the error code. */
  readonly code: string;
  /** Of a success with a body. */
  readonly rate?: { readonly base: string; readonly quote: string } & Record<string, unknown>;
  /** Of an exceeded quota. */
  readonly limit?: number;
}

const eraOf: Partial<Record<Way, Era>> = { "MCP 2025": "2025", "MCP 2026": "2026" };

/** Whether a read of a past time gets one import's figure; over MCP it asks for a date. */
export const hasTime = (way: Way): boolean => eraOf[way] === undefined;

/**
 * @param past the number of the import whose time, or date, it asks for.
 * @param converts whether to convert an amount, where the path supports it.
 */
export function askRead(
  way: Way,
  { base, quote, past }: { base: string; quote: string; past?: number | undefined },
  apiKey: string,
  converts = false,
): [method: string, path: string, how: Call] {
  const era = eraOf[way];
  if (era === undefined) {
    const path = `/v1/rates/${base}/${quote}`;
    const time = past === undefined ? {} : { "accept-datetime": timeOf(past).toUTCString() };
    if (way === "fast path") return ["GET", path, { apiKey, headers: time }];
    const headers = { "x-unknown-to-the-fast-path": "1", ...time };
    return [way === "HEAD" ? "HEAD" : "GET", path, { apiKey, headers }];
  }
  const pair = { base, quote, ...(past === undefined ? {} : { date: IMPORT_DATE }) };
  const posted = converts
    ? callOf(era, "convert_currency", { ...pair, amount: "2" })
    : callOf(era, "get_rate", pair);
  return ["POST", PATH, { apiKey, ...posted }];
}

/** HEAD returns only the status. */
const codeOfStatus = new Map([
  [200, "ok"],
  [400, "invalid_asset_symbol"],
  [401, "unauthorized"],
  [404, "unsupported_pair"],
  [429, "quota_exceeded"],
  [503, "temporarily_unavailable"],
]);

/** @throws when the response is malformed. */
export function readingOf(way: Way, { status, body, text }: Answer): Reading {
  if (way === "HEAD") return { code: codeOfStatus.get(status) ?? `status ${status}` };
  if (eraOf[way] === undefined || status !== 200) return readingFrom(status, body);
  const { result } = body as RpcAnswer;
  if (result === undefined) return { code: text };
  if (result.isError !== true) return readingFrom(200, result.structuredContent ?? {});
  return readingFrom(400, JSON.parse(result.content?.[0]?.text ?? "{}") as Envelope);
}

interface Envelope {
  readonly code?: string;
  readonly limit?: number;
}

interface RpcAnswer {
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: Record<string, unknown>;
    readonly content?: readonly { readonly text: string }[];
  };
}

function readingFrom(status: number, body: Envelope): Reading {
  if (status === 200) return { code: "ok", rate: body as NonNullable<Reading["rate"]> };
  const { code = `status ${status}`, limit } = body;
  return limit === undefined ? { code } : { code, limit };
}
