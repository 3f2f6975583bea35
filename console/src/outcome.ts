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
  /** How many publications the rate has missed. */
  readonly missed: number;
  /** The way out of a failure. */
  readonly help: Help | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, laid out for reading. */
  readonly body: string;
}

interface Help {
  readonly text: string;
  readonly url: string;
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
  const { rate, error, meta = {} } = readResponse(response);
  const headers = [...response.headers];
  const stated = (name: string) => meta[`kurs/${name}`] ?? response.headers.get(name) ?? undefined;
  const source = rate && sourceIn(stated("rate-source"));
  const missed = Number(stated("rate-missed") ?? 0);
  const parts = { rate, error, body, headers, source, missed, help: helpIn(stated("link")) };
  const cost = costOf(error, stated("units-charged"));
  if (error === undefined) return { ...parts, status: String(response.status), cost };
  // A tool's failure comes with HTTP 200, which says nothing about it.
  const status = response.status === 200 ? error.code : `${response.status} ${error.code}`;
  return { ...parts, status, cost };
}

/** What the headers of a read say, such as `kurs/rate-source`. */
type Meta = Readonly<Record<string, string>>;

interface ToolResponse {
  readonly result?: {
    readonly isError?: boolean;
    readonly _meta?: Meta;
    readonly structuredContent?: Rate & { readonly amount: string; readonly result: string };
    readonly content?: readonly { readonly text: string }[];
  };
  readonly error?: { readonly message: string };
}

interface Parsed extends Pick<Outcome, "rate" | "error"> {
  /** Of a tool's result. */
  readonly meta?: Meta | undefined;
}

function readResponse(response: TextResponse): Parsed {
  if (response.status !== 200) return { rate: undefined, error: errorOf(response) };
  const parsed = bodyOf<Rate | (ToolResponse & { readonly jsonrpc: string })>(response);
  if (!("jsonrpc" in parsed)) return { rate: parsed, error: undefined };
  const { result, error }: ToolResponse = parsed;
  const meta = result?._meta;
  if (result?.structuredContent !== undefined && result.isError !== true) {
    return { rate: result.structuredContent, error: undefined, meta };
  }
  // A tool's failure is REST's error envelope, as a text.
  const text = result?.content?.[0]?.text ?? JSON.stringify({ message: error?.message });
  return { rate: undefined, error: errorOf({ ...response, text }), meta };
}

/** Reads `ecb;name="European Central Bank"` (RFC 9651); the name is optional, and may be `%"…"`. */
function sourceIn(rateSource = ""): RateSource | undefined {
  const [, key, isDisplay, text] =
    /^([^;]+)(?:;name=(%?)"((?:[^"\\]|\\.)*)")?/.exec(rateSource) ?? [];
  if (key === undefined) return undefined;
  const name = isDisplay ? decodeURIComponent(text ?? "") : text?.replace(/\\(.)/g, "$1");
  return { key, name: name ?? key };
}

/** Reads `<https://…>; rel="help"; title="EUR/USD exists; Kurs does not invert"` (RFC 8288). */
function helpIn(link = ""): Help | undefined {
  const [, url, text] = /^<([^>]+)>; rel="help"; title="([^"]+)"$/.exec(link) ?? [];
  return url === undefined || text === undefined ? undefined : { url, text };
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
