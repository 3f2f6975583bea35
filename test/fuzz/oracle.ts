import assert from "node:assert/strict";
import { assertCommonHeaders, uuidV7 } from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";
import { documentedPathOf } from "../support/documented-paths.ts";
import { assertDocumented, type OpenApiDocument, operationOf } from "../support/openapi.ts";
import { type Cast, holderOf, marksOf, type Player, playersOf, secretsOf } from "./fixtures.ts";
import { type Message, valuesOf } from "./message.ts";

/** Every status that the service may return to any bytes. */
const STATUSES = [100, 200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 409, 413, 415, 429];

/** @throws when a response differs from the document or reveals another account's data. */
export function check(
  document: OpenApiDocument,
  cast: Cast,
  message: Message,
  answer: Answer,
  isValid: boolean,
): void {
  assertSound(answer, cast);
  assertCors(message, answer);
  assertRevealsNoOtherAccount(message, answer, cast);
  const path = documentedPathOf(document, message.target);
  const methods = Object.keys(document.paths[path ?? ""] ?? {});
  const method = message.method.toLowerCase();
  if (path !== undefined && methods.includes(method)) {
    assertOperation(document, cast, { message, path, method }, answer);
  } else if (path !== undefined) assertOtherMethod(message, answer);
  else assertUndocumented(message, answer);
  if (isValid) {
    const isRejected = /^(invalid_request|unsupported_media_type|payload_too_large)$/;
    const isWeak = /^password must|^password is/.test(String(answer.body.message));
    if (isRejected.test(String(answer.body.code)) && !isWeak) {
      assert.fail(`a request that is valid by the document is rejected: ${answer.text}`);
    }
  }
}

/** @throws when a response to malformed bytes breaks a rule for all responses. */
export function checkBroken(cast: Cast, answer: Answer): void {
  if (answer.status === 100) return;
  assertSound(answer, cast);
  for (const player of [cast.reader, cast.other, cast.spent]) {
    const revealed = marksOf(player).filter((mark) => answer.text.includes(mark));
    assert.deepEqual(revealed, [], `the response reveals data of ${player.name}`);
  }
}

/** Asserts the rules for all responses. */
function assertSound(answer: Answer, cast: Cast): void {
  const { status, headers, text, body } = answer;
  // Only a suspended pair may return 503: the service is neither failing nor overloaded.
  const isSuspended = status === 503 && headers.ratelimit !== undefined;
  assert.ok(STATUSES.includes(status) || isSuspended, `${status} ${text}`);
  const isPage = isPageOf(answer);
  if (!isPage && status !== 304) assertCommonHeaders(answer);
  assert.match(headers["x-request-id"] ?? "", uuidV7);
  assert.equal(headers["set-cookie"], undefined);
  assert.equal(headers["access-control-allow-credentials"], undefined);
  assert.equal(headers.server ?? headers["x-powered-by"], undefined);
  if (status === 401) assert.match(headers["www-authenticate"] ?? "", /^(ApiKey|Session)\b/);
  if (status === 429 || status === 503) assert.match(headers["retry-after"] ?? "", /^[1-9]\d*$/);
  if (status === 405) assert.notEqual(headers.allow, undefined, "405 without Allow");
  if (text !== "" && status >= 400 && !isPage) {
    if (body.jsonrpc !== undefined) return;
    assert.equal(body.request_id, headers["x-request-id"], text);
  }
  const revealed = secretsOf(cast).filter((secret) => text.includes(secret));
  assert.deepEqual(revealed, [], "the response contains a credential");
}

/** Whether a response is a page: those of the console, and the 404 of a browser. */
function isPageOf({ status, headers }: Answer): boolean {
  const { "content-type": contentType = "application/json" } = headers;
  return (status < 400 || status === 404) && !contentType.startsWith("application/json");
}

function assertCors(message: Message, { headers, status }: Answer): void {
  const allowed = headers["access-control-allow-origin"];
  if (allowed !== undefined) assert.equal(allowed, "*", "the response reflects the origin");
  const isCrossOrigin = valuesOf(message, "origin").length > 0;
  // The headers of a malformed request may be unreadable.
  const isMalformed = status === 400 || status === 413;
  if (isCrossOrigin && !isMalformed) assert.equal(allowed, "*", "a page cannot read the response");
}

function assertRevealsNoOtherAccount(message: Message, { text }: Answer, cast: Cast): void {
  const credentials = valuesOf(message, "authorization").map(secretIn);
  const own = credentials.map((credential) => holderOf(cast, credential)?.name);
  for (const player of playersOf(cast)) {
    if (own.includes(player.name)) continue;
    const revealed = marksOf(player).filter((mark) => text.includes(mark));
    assert.deepEqual(revealed, [], `another's response reveals ${player.name}`);
  }
}

interface Call {
  readonly message: Message;
  readonly path: string;
  /** In lower case. */
  readonly method: string;
}

function assertOperation(document: OpenApiDocument, cast: Cast, call: Call, answer: Answer) {
  const { message, path, method } = call;
  const operation = operationOf(document, method, path);
  assertDocumented(document, operation, answer);

  const [scheme] = (operation.security ?? []).flatMap((one) => Object.keys(one));
  const isSuccess = answer.status < 300;
  const holder = scheme === undefined ? undefined : authorizedAccount(cast, message, scheme);
  if (scheme !== undefined && isSuccess) {
    assert.ok(holder !== undefined, `${answer.status} without a valid credential`);
  }
  if (scheme === "ApiKey") assertQuotaHeader(holder, answer);
}

/** @returns the account of the first credential, the one that counts. */
function authorizedAccount(cast: Cast, message: Message, scheme: string): Player | undefined {
  const [first = ""] = valuesOf(message, "authorization");
  const pattern = new RegExp(`^${scheme} +\\S+$`, "i");
  const trimmed = first.replace(/^[ \t]+|[ \t]+$/g, "");
  if (!pattern.test(trimmed)) return undefined;
  const prefix = scheme === "ApiKey" ? "svc_live_" : "svc_sess_";
  const secret = secretIn(trimmed);
  return secret.startsWith(prefix) ? holderOf(cast, secret) : undefined;
}

function secretIn(header: string): string {
  return header.trim().split(/ +/).at(-1) ?? "";
}

/** Asserts that a response of the rate endpoint to a valid key has that account's quota. */
function assertQuotaHeader(holder: Player | undefined, answer: Answer): void {
  const { status, headers, body, text } = answer;
  const policy = headers["ratelimit-policy"];
  // A malformed request is rejected before the key's check; a HEAD does not show which 400 it is.
  const isUnauthenticated = status === 400 && (text === "" || body.code === "invalid_request");
  if (policy === undefined)
    assert.ok(isUnauthenticated || [401, 405, 413].includes(status), "no RateLimit-Policy");
  else assert.match(policy, new RegExp(`^"units";q=${holder?.quota};w=2592000$`));
}

function assertOtherMethod(message: Message, { status, headers }: Answer): void {
  const isPreflight = status === 204 && message.method === "OPTIONS";
  if (isPreflight) {
    assert.notEqual(headers["access-control-allow-methods"], undefined);
    assert.equal(valuesOf(message, "origin").length > 0, true, "204 without a preflight");
  } else assert.ok([400, 405, 413].includes(status), `${status} to another method`);
}

function assertUndocumented(message: Message, answer: Answer): void {
  const { status, text, body } = answer;
  const isRead = message.method === "GET" || message.method === "HEAD";
  const isPreflight = status === 204 && message.method === "OPTIONS";
  const isRejected = [400, 401, 403, 404, 405, 413, 415].includes(status);
  // A page: complete, partial or not modified.
  const isPage = isRead && [200, 206, 304].includes(status);
  assert.ok(isRejected || isPreflight || isPage, `${status} at an unknown path`);
  if (isRejected && text !== "" && !isPageOf(answer)) {
    assert.deepEqual(Object.keys(body).sort(), ["code", "message", "request_id"], text);
  }
}
