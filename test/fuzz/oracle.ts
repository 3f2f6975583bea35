import assert from "node:assert/strict";
import { assertCommonHeaders, uuidV7 } from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";
import { assertDocumented, type OpenApiDocument, operationOf } from "../support/openapi.ts";
import { type Cast, holderOf, marksOf, type Player, playersOf, secretsOf } from "./fixtures.ts";
import { type Message, valuesOf } from "./message.ts";
import { documentedPathOf } from "./paths.ts";

/** What the service may answer anyone at all, whatever the bytes. */
const STATUSES = [100, 200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 409, 413, 415, 429];

/** @throws when an answer is not what the document says of such a request, or tells too much. */
export function judge(
  document: OpenApiDocument,
  cast: Cast,
  message: Message,
  answer: Answer,
  isValid: boolean,
): void {
  assertSound(answer, cast);
  assertCors(message, answer);
  assertTellsNobodyElse(message, answer, cast);
  const path = documentedPathOf(document, message.target);
  const methods = Object.keys(document.paths[path ?? ""] ?? {});
  const method = message.method === "HEAD" ? "get" : message.method.toLowerCase();
  if (path !== undefined && methods.includes(method)) {
    assertOperation(document, cast, { message, path, method }, answer);
  } else if (path !== undefined) assertOtherMethod(message, answer);
  else assertUndocumented(message, answer);
  if (isValid) {
    const isRefused = /^(invalid_request|unsupported_media_type|payload_too_large)$/;
    const isWeak = /^password must|^password is/.test(String(answer.body.message));
    if (isRefused.test(String(answer.body.code)) && !isWeak) {
      assert.fail(`what the document calls valid is refused: ${answer.text}`);
    }
  }
}

/** @throws when the answer to broken bytes is none that this service gives. */
export function judgeBroken(cast: Cast, answer: Answer): void {
  if (answer.status === 100) return;
  assertSound(answer, cast);
  for (const player of [cast.reader, cast.other, cast.spent]) {
    const told = marksOf(player).filter((mark) => answer.text.includes(mark));
    assert.deepEqual(told, [], `${player.name}'s things are told`);
  }
}

/** What holds for every answer. */
function assertSound(answer: Answer, cast: Cast): void {
  const { status, headers, text, body } = answer;
  // Only a suspended pair is away: nothing else of the service is broken or overloaded.
  const isAway = status === 503 && headers.ratelimit !== undefined;
  assert.ok(STATUSES.includes(status) || isAway, `${status} ${text}`);
  const { "content-type": contentType = "application/json" } = headers;
  const isPage = status < 400 && !contentType.startsWith("application/json");
  if (!isPage && status !== 304) assertCommonHeaders(answer);
  assert.match(headers["x-request-id"] ?? "", uuidV7);
  assert.equal(headers["set-cookie"], undefined);
  assert.equal(headers["access-control-allow-credentials"], undefined);
  assert.equal(headers.server ?? headers["x-powered-by"], undefined);
  if (status === 401) assert.match(headers["www-authenticate"] ?? "", /^(ApiKey|Session)\b/);
  if (status === 429 || status === 503) assert.match(headers["retry-after"] ?? "", /^[1-9]\d*$/);
  if (status === 405) assert.notEqual(headers.allow, undefined, "405 without Allow");
  if (text !== "" && status >= 400) {
    if (body.jsonrpc !== undefined) return;
    assert.equal(body.request_id, headers["x-request-id"], text);
  }
  const told = secretsOf(cast).filter((secret) => text.includes(secret));
  assert.deepEqual(told, [], "a credential is told");
}

function assertCors(message: Message, { headers, status }: Answer): void {
  const allowed = headers["access-control-allow-origin"];
  if (allowed !== undefined) assert.equal(allowed, "*", "the origin is reflected");
  const isAsked = valuesOf(message, "origin").length > 0;
  // What is malformed has no headers that could be read.
  const isMalformed = status === 400 || status === 413;
  if (isAsked && !isMalformed) assert.equal(allowed, "*", "a page cannot read the answer");
}

function assertTellsNobodyElse(message: Message, { text }: Answer, cast: Cast): void {
  const credentials = valuesOf(message, "authorization").map(secretIn);
  const own = credentials.map((credential) => holderOf(cast, credential)?.name);
  for (const player of playersOf(cast)) {
    if (own.includes(player.name)) continue;
    const told = marksOf(player).filter((mark) => text.includes(mark));
    assert.deepEqual(told, [], `${player.name}'s things are told to another`);
  }
}

interface Asked {
  readonly message: Message;
  readonly path: string;
  /** In lower case; of HEAD, the one whose headers it asks for. */
  readonly method: string;
}

function assertOperation(document: OpenApiDocument, cast: Cast, asked: Asked, answer: Answer) {
  const { message, path, method } = asked;
  const operation = operationOf(document, method, path);
  if (message.method === "HEAD") {
    assert.ok(operation.responses[answer.status] !== undefined, `${answer.status} to HEAD`);
    assert.equal(answer.text, "");
  } else assertDocumented(document, operation, answer);

  const [scheme] = (operation.security ?? []).flatMap((one) => Object.keys(one));
  const isSuccess = answer.status < 300;
  const holder = scheme === undefined ? undefined : grantedTo(cast, message, scheme);
  if (scheme !== undefined && isSuccess) {
    assert.ok(holder !== undefined, `${answer.status} without a good credential`);
  }
  if (scheme === "ApiKey") assertAllowance(holder, answer);
}

/** Whose credential is the one that counts: the first. */
function grantedTo(cast: Cast, message: Message, scheme: string): Player | undefined {
  const [first = ""] = valuesOf(message, "authorization");
  const pattern = new RegExp(`^${scheme} +\\S+$`, "i");
  const trimmed = first.replace(/^[ \t]+|[ \t]+$/g, "");
  if (!pattern.test(trimmed)) return undefined;
  const start = scheme === "ApiKey" ? "svc_live_" : "svc_sess_";
  const secret = secretIn(trimmed);
  return secret.startsWith(start) ? holderOf(cast, secret) : undefined;
}

function secretIn(header: string): string {
  return header.trim().split(/ +/).at(-1) ?? "";
}

/** Every answer of the rate endpoint to a good key tells the allowance, its own. */
function assertAllowance(holder: Player | undefined, answer: Answer): void {
  const { status, headers, body, text } = answer;
  const policy = headers["ratelimit-policy"];
  // A HEAD does not tell which 400 it got: the malformed one comes before the key.
  const isUnjudged = status === 400 && (text === "" || body.code === "invalid_request");
  if (policy === undefined)
    assert.ok(isUnjudged || [401, 405, 413].includes(status), "no allowance");
  else assert.match(policy, new RegExp(`^"units";q=${holder?.quota};w=2592000$`));
}

function assertOtherMethod(message: Message, { status, headers }: Answer): void {
  const isPreflight = status === 204 && message.method === "OPTIONS";
  if (isPreflight) {
    assert.notEqual(headers["access-control-allow-methods"], undefined);
    assert.equal(valuesOf(message, "origin").length > 0, true, "204 to no preflight");
  } else assert.ok([400, 405, 413].includes(status), `${status} to another method`);
}

function assertUndocumented(message: Message, { status, text, body }: Answer): void {
  const isRead = message.method === "GET" || message.method === "HEAD";
  const isPreflight = status === 204 && message.method === "OPTIONS";
  const isRefused = [400, 401, 403, 404, 405, 413, 415].includes(status);
  // A page, whole, in part or unchanged.
  const isPage = isRead && [200, 206, 304].includes(status);
  assert.ok(isRefused || isPreflight || isPage, `${status} at no known path`);
  if (isRefused && text !== "") {
    assert.deepEqual(Object.keys(body).sort(), ["code", "message", "request_id"], text);
  }
}
