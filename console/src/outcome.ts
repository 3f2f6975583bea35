import type { Rate } from "./api/rates.ts";
import { type ApiError, bodyOf, errorOf, type TextResponse } from "./api/request.ts";

/** The outcome of a tried request. */
export interface Outcome {
  /** The HTTP status, with the failure's code where there is one. */
  readonly status: string;
  readonly rate: (Rate & { readonly amount?: string; readonly result?: string }) | undefined;
  readonly error: ApiError | undefined;
  readonly cost: string;
  /** The key and the name of the source; undefined without a rate. */
  readonly source: RateSource | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, laid out for reading. */
  readonly body: string;
}

/** The source of a rate, as its headers name it. */
export interface RateSource {
  readonly key: string;
  readonly name: string;
}

const ONE_UNIT = "1 unit";
const NOTHING = "nothing";

/**
 * Reads the response of a rate's path or of a tool call over MCP.
 *
 * @throws {ApiError} `unreachable` when the response did not come from the service.
 */
export function outcomeOf(response: TextResponse): Outcome {
  const body = layOut(response.text);
  const { rate, error, rateSource } = readResponse(response);
  const headers = [...response.headers];
  const source = sourceIn(rateSource);
  if (error === undefined) {
    return { status: String(response.status), rate, error, cost: ONE_UNIT, body, source, headers };
  }
  // A tool's failure comes with HTTP 200, which says nothing about it.
  const status = response.status === 200 ? error.code : `${response.status} ${error.code}`;
  return { status, rate, error, cost: costOf(error, response), body, source, headers };
}

interface ToolResponse {
  readonly result?: {
    readonly isError?: boolean;
    readonly _meta?: { readonly "kurs/rate-source"?: string };
    readonly structuredContent?: Rate & { readonly amount: string; readonly result: string };
    readonly content?: readonly { readonly text: string }[];
  };
  readonly error?: { readonly message: string };
}

interface Parsed extends Pick<Outcome, "rate" | "error"> {
  /** The value of Rate-Source. */
  readonly rateSource?: string | undefined;
}

function readResponse(response: TextResponse): Parsed {
  if (response.status !== 200) return { rate: undefined, error: errorOf(response) };
  const parsed = bodyOf<Rate | (ToolResponse & { readonly jsonrpc: string })>(response);
  if (!("jsonrpc" in parsed)) {
    const rateSource = response.headers.get("rate-source") ?? undefined;
    return { rate: parsed, error: undefined, rateSource };
  }
  const { result, error }: ToolResponse = parsed;
  if (result?.structuredContent !== undefined && result.isError !== true) {
    const rateSource = result._meta?.["kurs/rate-source"];
    return { rate: result.structuredContent, error: undefined, rateSource };
  }
  // A tool's failure is REST's error envelope, as a text.
  const text = result?.content?.[0]?.text ?? JSON.stringify({ message: error?.message });
  return { rate: undefined, error: errorOf({ ...response, text }) };
}

/** Reads `ecb;name="European Central Bank"` (RFC 9651); the name is optional. */
function sourceIn(rateSource = ""): RateSource | undefined {
  const [, key, name] = /^([^;]+)(?:;name="((?:[^"\\]|\\.)*)")?/.exec(rateSource) ?? [];
  return key === undefined ? undefined : { key, name: name?.replace(/\\(.)/g, "$1") ?? key };
}

/** A unit is charged before the rate is looked up (docs/api.md, "One read, step by step"). */
function costOf({ code }: ApiError, { headers }: TextResponse): string {
  if (code === "unsupported_pair") return ONE_UNIT;
  if (code !== "temporarily_unavailable") return NOTHING;
  // Only a response whose charge was stored reports the remaining units.
  return headers.has("ratelimit") ? ONE_UNIT : NOTHING;
}

function layOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
