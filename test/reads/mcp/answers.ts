import assert from "node:assert/strict";
import { assertCommonHeaders } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import type { Members } from "./messages.ts";

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
