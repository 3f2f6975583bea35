import assert from "node:assert/strict";
import { after } from "node:test";
import type { Config } from "../../../src/app/config.ts";
import { assertCommonHeaders } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { startService, type TestService } from "../../support/service.ts";

/** The two eras of clients: those with `initialize`, and those of revision 2026-07-28. */
export const eras = ["2025", "2026"] as const;
export type Era = (typeof eras)[number];

export const VERSION_OF: Readonly<Record<Era, string>> = {
  "2025": "2025-11-25",
  "2026": "2026-07-28",
};

export const PATH = "/v1/mcp";

/** Both types that a client of 2025 must accept. */
export const ACCEPT = "application/json, text/event-stream";

/** The envelope that each request of 2026 carries. */
export const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": VERSION_OF["2026"],
  "io.modelcontextprotocol/clientCapabilities": {},
} as const;

type Members = Readonly<Record<string, unknown>>;

/** A message to post: headers except the credential, and the body. */
export interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Members;
}

/** The headers that a client sends with every message of an era. */
export function headersOf(era: Era): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: ACCEPT,
    "mcp-protocol-version": VERSION_OF[era],
  };
}

/** A message without an id: it gets no response. */
export function notificationOf(era: Era, method: string, params: Members = {}): Posted {
  const json = { jsonrpc: "2.0", method };
  if (era === "2025") return { headers: headersOf(era), json: { ...json, params } };
  const headers = { ...headersOf(era), "mcp-method": method };
  return { headers, json: { ...json, params: { ...params, _meta: ENVELOPE } } };
}

export function requestOf(era: Era, method: string, params: Members = {}, id: unknown = 1): Posted {
  const { headers, json } = notificationOf(era, method, params);
  return { headers, json: { ...json, id } };
}

export const initialize = requestOf("2025", "initialize", {
  protocolVersion: VERSION_OF["2025"],
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

/** A tool call. */
export function callOf(era: Era, name: string, given: Members = {}, id: unknown = 1): Posted {
  const { headers, json } = requestOf(era, "tools/call", { name, arguments: given }, id);
  return { headers: era === "2025" ? headers : { ...headers, "mcp-name": name }, json };
}

export const EUR_USD = { base: "EUR", quote: "USD" } as const;

/** A read of EUR/USD. */
export const readOf = (era: Era, id: unknown = 1): Posted => callOf(era, "get_rate", EUR_USD, id);

/** Posts to the endpoint with a key. */
export const postTo =
  (service: TestService, apiKey: string) =>
  (posted: Posted): Promise<Answer> =>
    service.post(PATH, { apiKey, ...posted });

/** Starts a service with one account, its session and a key. */
export async function startWithKey(config: Partial<Config> = {}) {
  const service = await startService({ config });
  const session = await service.openSession();
  const { id, apiKey } = await service.createKey(session);
  const usedUnits = () => service.usedUnits(session);
  return {
    service,
    session,
    id,
    apiKey,
    post: postTo(service, apiKey),
    usedUnits,
    /** Runs something and asserts how many units it cost the account. */
    async charging<Result>(units: number, run: () => Promise<Result>): Promise<Result> {
      const used = await usedUnits();
      const result = await run();
      assert.equal((await usedUnits()) - used, units, "units charged");
      return result;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Starts one for all tests of a file, which stops after them. */
export async function startSharedWithKey(config: Partial<Config> = {}) {
  const started = await startWithKey(config);
  after(() => started[Symbol.asyncDispose]());
  return started;
}

/** A JSON-RPC response, as far as tests read it. */
export interface RpcAnswer {
  readonly id: unknown;
  readonly result?: Members & {
    readonly content?: readonly { readonly type: string; readonly text: string }[];
    readonly structuredContent?: Members;
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const rpcOf = ({ text }: Answer): RpcAnswer => JSON.parse(text) as RpcAnswer;

/** The single responses to a batch. */
export const rpcsOf = ({ text }: Answer): readonly RpcAnswer[] => {
  const answers: unknown = JSON.parse(text);
  assert.ok(Array.isArray(answers), text);
  return answers as readonly RpcAnswer[];
};

/** Asserts that a tool succeeded. @returns its value, which the response contains twice. */
export function valueIn({ result, error }: RpcAnswer): Members {
  assert.equal(error, undefined);
  assert.equal(result?.isError, undefined, JSON.stringify(result));
  const value = result?.structuredContent;
  assert.ok(value !== undefined);
  assert.deepEqual(result?.content, [{ type: "text", text: JSON.stringify(value) }]);
  return value;
}

/** The members of a result's `_meta`. */
export function metaIn({ result }: RpcAnswer): Members {
  return (result?._meta ?? {}) as Members;
}

/** Asserts that a tool failed, in the form that clients accept. @returns the envelope. */
export function failureIn({ result, error }: RpcAnswer): Members {
  assert.equal(error, undefined);
  assert.equal(result?.isError, true, JSON.stringify(result));
  assert.equal(Object.hasOwn(result ?? {}, "structuredContent"), false);
  assert.deepEqual(
    result?.content?.map(({ type }) => type),
    ["text"],
  );
  const envelope = JSON.parse(result?.content?.[0]?.text ?? "") as Members;
  const quotaFields = envelope.code === "quota_exceeded" ? ["limit", "remaining", "reset_at"] : [];
  assert.deepEqual(Object.keys(envelope), ["code", "message", "request_id", ...quotaFields]);
  return envelope;
}

/** Asserts that a single call failed, and how; the request id is that of the HTTP response. */
export function assertToolFailure(
  answer: Answer,
  code: string,
  message: string | RegExp = /\S/,
): void {
  assert.equal(answer.status, 200, answer.text);
  assertCommonHeaders(answer);
  const envelope = failureIn(rpcOf(answer));
  assert.equal(envelope.code, code, answer.text);
  if (typeof message === "string") assert.equal(envelope.message, message);
  else assert.match(String(envelope.message), message);
  assert.equal(envelope.request_id, answer.headers["x-request-id"]);
}

/** Asserts that a message got a protocol error: a JSON-RPC error code and no result. */
export function assertRpcError(
  answer: Answer,
  status: number,
  code: number,
  message: string | RegExp = /\S/,
): void {
  assert.equal(answer.status, status, answer.text);
  assertCommonHeaders(answer);
  const { result, error } = rpcOf(answer);
  assert.equal(result, undefined);
  assert.equal(error?.code, code, answer.text);
  if (typeof message === "string") assert.equal(error?.message, message);
  else assert.match(error?.message ?? "", message);
}
