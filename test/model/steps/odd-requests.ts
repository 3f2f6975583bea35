import assert from "node:assert/strict";
import { METHODS } from "node:http";
import fc from "fast-check";
import { assertCommonHeaders } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { someOddCall } from "../../support/odd-calls.ts";
import { openWire } from "../../support/raw-connection.ts";
import { openNodeWire } from "../../support/read-both-ways.ts";
import {
  assertAsDocumented,
  assertKeepsSecrets,
  assertSound,
} from "../../support/response-check.ts";
import type { Model } from "../model.ts";
import { type Person, someNode, somePerson } from "../names.ts";
import { step } from "../step.ts";
import type { Stage } from "../story-client.ts";

// Requests that no client should send, as bytes on a connection of their own, by the fast path or
// by node:http: each gets a documented response, and none changes or costs anything, as the next
// steps and the audit show.

const FAILURES = [400, 401, 403, 404, 405, 413, 415, 429];
const ENVELOPE = ["code", "message", "request_id"];

interface Sent {
  readonly node: 0 | 1;
  readonly isNodes: boolean;
  readonly text: string;
}

/** Sends bytes, and ends the sending side behind them. @returns the responses. */
async function pour(stage: Stage, { node, isNodes, text }: Sent): Promise<readonly Answer[]> {
  const url = stage.url(node);
  using wire = await (isNodes ? openNodeWire(url, true) : openWire(url, true));
  const { answers, rest } = await wire.pour(Buffer.from(text, "latin1"));
  assert.equal(rest, "", "what came is no response");
  const isNothing = /^[\r\n]*$/.test(text);
  assert.ok(answers.length > 0 || isNothing, "no response");
  assert.ok(answers.length <= text.split(/\r|\n/).length, "more responses than lines");
  const last = answers.findIndex(({ headers }) => headers.connection === "close");
  assert.ok(last < 0 || last === answers.length - 1, "a response behind the last");
  return answers.filter(({ status }) => status !== 100);
}

/** Asserts what holds for the response to any bytes. */
function assertAnswer(model: Model, stage: Stage, person: Person, answer: Answer) {
  const { status, headers, body } = answer;
  const isPage = headers["content-type"]?.startsWith("text/html") && [200, 404].includes(status);
  assertSound(answer);
  if (!isPage && status !== 304 && status !== 206) assertCommonHeaders(answer);
  assertKeepsSecrets("", answer);
  const shown = JSON.stringify(headers) + answer.text;
  for (const account of model.accounts.values()) {
    const { sessions, keys, tokens, password } = account;
    const marks = [stage.emailOf(account.person), ...keys.map(({ id }) => id)];
    const hidden = [
      ...[...sessions.map(({ token }) => token), ...tokens.map(({ text }) => text), password],
      ...[...keys.map(({ secret }) => secret), ...(account.person === person ? [] : marks)],
    ];
    assert.deepEqual(
      hidden.filter((each) => shown.includes(each)),
      [],
      `the response reveals data of ${account.person}`,
    );
  }
  if (status >= 400 && body.code !== undefined && body.code !== "quota_exceeded") {
    assert.deepEqual(Object.keys(body).sort(), ENVELOPE);
  }
}

/** Asserts that the document has the only response to a request, where it has its path. */
function assertAllowed(stage: Stage, text: string, answer: Answer): void {
  const [, method = "", target = ""] = /^([A-Z]+) (\S+) HTTP\/1\.1\r\n/.exec(text) ?? [];
  const { status, headers } = answer;
  const hasOrigin = /^origin:/im.test(text.split("\r\n\r\n")[0] ?? "");
  // Of a method that Node's parser does not know only the line is read. A browser does not send it:
  // the preflight does not allow it.
  const isRead = status !== 400 && status !== 413 && METHODS.includes(method);
  if (hasOrigin && isRead) assert.equal(headers["access-control-allow-origin"], "*");
  // What cannot be read is no HEAD yet: its rejection says why.
  if (method === "HEAD" && answer.text !== "") {
    assert.ok(!isRead, answer.text);
    return;
  }
  if (assertAsDocumented(stage.document, method, target, answer)) return;
  const isPreflight = method === "OPTIONS" && status === 204 && hasOrigin;
  const isPage = /^(?:GET|HEAD)$/.test(method) && [200, 206, 304].includes(status);
  const isServed = isPreflight || (isPage && !target.startsWith("/v1"));
  assert.ok(isServed || FAILURES.includes(status), `${status} ${answer.text}`);
}

const isWhole = (text: string) =>
  /^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(text) &&
  text.indexOf("HTTP/1.") === text.lastIndexOf("HTTP/1.");

export const someOddCalls = fc
  .record({
    person: somePerson,
    calls: fc.array(fc.record({ node: someNode, isNodes: fc.boolean(), call: someOddCall }), {
      minLength: 4,
      maxLength: 12,
    }),
  })
  .map(({ person, calls }) =>
    step({
      kind: "odd calls",
      sentence: `${person} sends ${calls.length} odd requests with the last session`,
      can: (model) => model.session(person, 0) !== undefined,
      async run(model, stage) {
        const token = model.session(person, 0)?.token ?? "";
        for (const { call, ...way } of calls) {
          const text = call.text.replaceAll("KEY", token);
          try {
            const answers = await pour(stage, { ...way, text });
            for (const answer of answers) {
              const { status, headers } = answer;
              assertAnswer(model, stage, person, answer);
              assert.equal(headers["units-charged"] ?? "0", "0");
              const isPreflight = status === 204 && text.startsWith("OPTIONS ");
              const isAllowed = call.mayBeServed || isPreflight || FAILURES.includes(status);
              assert.ok(isAllowed, `${status}`);
            }
            const [answer] = answers;
            const isOnly = answer !== undefined && answers.length === 1;
            if (isOnly && isWhole(text)) assertAllowed(stage, text, answer);
          } catch (error) {
            const request = JSON.stringify(text.slice(0, 4000));
            throw new Error(`the request ${request}`, { cause: error });
          }
        }
        return "nothing changed";
      },
    }),
  );
