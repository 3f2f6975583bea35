import assert from "node:assert/strict";
import { assertCommonHeaders, assertFailure } from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";

/** A failure that the model predicts. */
export interface ExpectedFailure {
  readonly status: number;
  readonly code: string;
  readonly message?: string | RegExp;
  /** What its link says. */
  readonly help?: RegExp;
  readonly retryAfterSeconds?: number;
  /** The further fields of `quota_exceeded`. */
  readonly quota?: {
    readonly limit: number;
    readonly remaining: number;
    readonly reset_at: string;
  };
}

/** @returns the outcome for the tally. */
export function assertSuccess(answer: Answer, status: number, body?: unknown): string {
  assert.equal(answer.status, status, answer.text);
  assertCommonHeaders(answer);
  if (body === undefined) assert.equal(answer.text, "");
  else assert.deepEqual(answer.body, body);
  return String(status);
}

/** @returns the outcome for the tally. */
export function assertRefusal(answer: Answer, expected: ExpectedFailure): string {
  const { status, code, message, help, retryAfterSeconds, quota } = expected;
  assertFailure(answer, status, code, message);
  if (help !== undefined) assert.match(answer.headers.link ?? "", help);
  if (retryAfterSeconds !== undefined) {
    assert.equal(answer.headers["retry-after"], String(retryAfterSeconds));
  }
  if (quota !== undefined) {
    const { limit, remaining, reset_at } = answer.body;
    assert.deepEqual({ limit, remaining, reset_at }, quota);
  }
  return `${status} ${code}`;
}

export const sessionRequired = {
  status: 401,
  code: "unauthorized",
  message: "Authentication required.",
} as const;

export const keyRequired = {
  status: 401,
  code: "unauthorized",
  message: "A valid API key is required.",
} as const;
