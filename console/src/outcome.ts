import type { Rate } from "./api/rates.ts";
import { type ApiError, bodyOf, errorOf, type TextResponse } from "./api/request.ts";

/** The outcome of a tried request. */
export interface Outcome {
  /** The HTTP status, with the failure's code where there is one. */
  readonly status: string;
  readonly rate: (Rate & { readonly amount?: string; readonly result?: string }) | undefined;
  readonly error: ApiError | undefined;
  /** Undefined when it is not known. */
  readonly cost: string | undefined;
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

/**
 * Reads the response of a rate's path or of a tool call over MCP.
 *
 * @throws {ApiError} `unreachable` when the response did not come from the service.
 */
export function outcomeOf(response: TextResponse): Outcome {
  const body = layOut(response.text);
  const { rate, error, rateSource, unitsCharged } = readResponse(response);
  const headers = [...response.headers];
  const parts = { rate, error, body, headers, source: sourceIn(rateSource) };
  const cost = costOf(error, unitsCharged);
  if (error === undefined) return { ...parts, status: String(response.status), cost };
  // A tool's failure comes with HTTP 200, which says nothing about it.
  const status = response.status === 200 ? error.code : `${response.status} ${error.code}`;
  return { ...parts, status, cost };
}

interface ToolResponse {
  readonly result?: {
    readonly isError?: boolean;
    readonly _meta?: {
      readonly "kurs/rate-source"?: string;
      readonly "kurs/units-charged"?: string;
    };
    readonly structuredContent?: Rate & { readonly amount: string; readonly result: string };
    readonly content?: readonly { readonly text: string }[];
  };
  readonly error?: { readonly message: string };
}

interface Parsed extends Pick<Outcome, "rate" | "error"> {
  /** The value of Rate-Source. */
  readonly rateSource?: string | undefined;
  /** The value of Units-Charged. */
  readonly unitsCharged: string | undefined;
}

function readResponse(response: TextResponse): Parsed {
  const unitsCharged = response.headers.get("units-charged") ?? undefined;
  if (response.status !== 200) {
    return { rate: undefined, error: errorOf(response), unitsCharged };
  }
  const parsed = bodyOf<Rate | (ToolResponse & { readonly jsonrpc: string })>(response);
  if (!("jsonrpc" in parsed)) {
    const rateSource = response.headers.get("rate-source") ?? undefined;
    return { rate: parsed, error: undefined, rateSource, unitsCharged };
  }
  const { result, error }: ToolResponse = parsed;
  const chargedByTool = { unitsCharged: result?._meta?.["kurs/units-charged"] };
  if (result?.structuredContent !== undefined && result.isError !== true) {
    const rateSource = result._meta?.["kurs/rate-source"];
    return { rate: result.structuredContent, error: undefined, rateSource, ...chargedByTool };
  }
  // A tool's failure is REST's error envelope, as a text.
  const text = result?.content?.[0]?.text ?? JSON.stringify({ message: error?.message });
  return { rate: undefined, error: errorOf({ ...response, text }), ...chargedByTool };
}

/** Reads `ecb;name="European Central Bank"` (RFC 9651); the name is optional, and may be `%"…"`. */
function sourceIn(rateSource = ""): RateSource | undefined {
  const [, key, isDisplay, text] =
    /^([^;]+)(?:;name=(%?)"((?:[^"\\]|\\.)*)")?/.exec(rateSource) ?? [];
  if (key === undefined) return undefined;
  const name = isDisplay ? decodeURIComponent(text ?? "") : text?.replace(/\\(.)/g, "$1");
  return { key, name: name ?? key };
}

/** docs/api.md, "What a response cost, and whether to retry". */
function costOf(error: ApiError | undefined, unitsCharged: string | undefined): string | undefined {
  if (unitsCharged === "1") return "1 unit";
  // A request that is rejected before it is a read has no cost to state.
  return unitsCharged === "0" || error?.isOperators === false ? "nothing" : undefined;
}

function layOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
