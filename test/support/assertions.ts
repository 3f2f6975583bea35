import assert from "node:assert/strict";
import type { Answer } from "./client.ts";
import type { Ended } from "./process.ts";

/** RFC 9562, section 5.7, in lower case. */
export const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The WWW-Authenticate of a 401: what to send, and what came. */
export const CHALLENGE = {
  ApiKey:
    /^ApiKey realm="kurs", error_description="Send Authorization: ApiKey svc_live_\.\.\.; got [^"]+"$/,
  Session:
    /^Session realm="kurs", error_description="Send Authorization: Session svc_sess_\.\.\.; got [^"]+"$/,
} as const;

/** Asserts the headers of every response: it must not be cached, framed or sniffed. */
export function assertCommonHeaders({ headers }: Answer): void {
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["x-frame-options"], "DENY");
  assert.equal(headers["referrer-policy"], "no-referrer");
  assert.match(headers["content-security-policy"] ?? "", /default-src 'none'/);
  assert.match(headers["x-request-id"] ?? "", uuidV7);
  assert.equal(headers["set-cookie"], undefined);
  assert.equal(headers["x-powered-by"], undefined);
}

/** Asserts a failure's status, its code and the exact members of the envelope. */
export function assertFailure(
  answer: Answer,
  status: number,
  code: string,
  message: string | RegExp = /\S/,
): void {
  assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
  const quotaFields = code === "quota_exceeded" ? ["limit", "remaining", "reset_at"] : [];
  const members = ["code", "message", "request_id", ...quotaFields];
  assert.deepEqual(Object.keys(answer.body).sort(), members.sort());
  if (typeof message === "string") assert.equal(answer.body.message, message);
  else assert.match(String(answer.body.message), message);
  assert.equal(answer.body.request_id, answer.headers["x-request-id"]);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
  assertCommonHeaders(answer);
  if (status === 401)
    assert.match(answer.headers["www-authenticate"] ?? "", /^(ApiKey|Session) realm="kurs"/);
  if (status === 429 || status === 503) {
    assert.match(answer.headers["retry-after"] ?? "", /^[1-9][0-9]*$/);
  }
}

/** Asserts the rejection of a read without a valid key: its message, and no RateLimit headers. */
export function assertKeyRejected(answer: Answer): void {
  assertFailure(answer, 401, "unauthorized", "A valid API key is required.");
  assert.match(answer.headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
  assert.equal(answer.headers.ratelimit, undefined);
  assert.equal(answer.headers["ratelimit-policy"], undefined);
  assert.equal(answer.headers["units-charged"], "0");
}

/** Asserts the rejection of a call on an account without a valid session. */
export function assertSessionRejected(answer: Answer): void {
  assertFailure(answer, 401, "unauthorized", "Authentication required.");
  assert.match(answer.headers["www-authenticate"] ?? "", CHALLENGE.Session);
}

/** The refusal of a command: one line on stderr that says what is wrong, and nothing else. */
export function assertRejected({ exitCode, stdout, stderr }: Ended, line: RegExp): void {
  assert.deepEqual([exitCode, stdout], [1, ""], stderr);
  assert.match(stderr, /^kurs: [^\n]+[.?']\n$/);
  assert.match(stderr, line);
}
