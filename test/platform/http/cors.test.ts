import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCommonHeaders, assertFailure } from "../../support/assertions.ts";
import { startSharedService } from "../../support/service.ts";

// That no response allows credentials or reflects its origin: test/support/response-check.ts.

const service = await startSharedService();

const { session, keyId: id, apiKey } = await service.newCustomer();

const ORIGIN = "https://console.example.com";

/** The names that a header lists, in lower case and sorted. */
const namesOf = (header: string | undefined) =>
  (header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .sort();

const EXPOSED = (
  "content-digest etag link memento-datetime rate-document rate-missed rate-next rate-source " +
  "ratelimit ratelimit-policy retry-after signature signature-input statement-signature " +
  "units-charged x-request-id"
).split(" ");
const ALLOWED = (
  "accept accept-datetime authorization content-type if-none-match mcp-method mcp-name " +
  "mcp-protocol-version mcp-session-id"
).split(" ");

const calls = [
  ["a rate", 200, "GET", "/v1/rates/EUR/USD", { apiKey }],
  ["HEAD of a rate", 200, "HEAD", "/v1/rates/EUR/USD", { apiKey }],
  ["an invalid symbol", 400, "GET", "/v1/rates/E/USD", { apiKey }],
  ["a missing key", 401, "GET", "/v1/rates/EUR/USD", {}],
  ["an unsupported pair", 404, "GET", "/v1/rates/USD/NONE", { apiKey }],
  ["a rejected method", 405, "POST", "/v1/rates/EUR/USD", { apiKey }],
  ["the usage", 200, "GET", "/v1/account/usage", { session }],
  ["a missing session", 401, "GET", "/v1/account/usage", {}],
  ["a new key", 201, "POST", "/v1/account/api-keys", { session, json: { name: "x" } }],
  ["an invalid field", 400, "POST", "/v1/account/api-keys", { session, json: {} }],
  ["a body too large", 413, "POST", "/v1/auth/login", { json: "x".repeat(16_384) }],
  ["a body of another type", 415, "POST", "/v1/auth/login", { raw: "x" }],
  ["an unknown path", 404, "GET", "/v1/nothing", {}],
  ["the page for an unknown path", 404, "GET", "/nothing", { headers: { accept: "text/html" } }],
  ["a malformed escape", 400, "GET", "/v1/rates/%zz/USD", { apiKey }],
  ["the health", 200, "GET", "/healthz", {}],
  ["the document", 200, "GET", "/openapi.json", {}],
] as const;

for (const [what, status, method, path, how] of calls) {
  test(`CORS: any origin may read ${what} (${status}), without credentials`, async () => {
    const headers: Record<string, string> = {
      origin: ORIGIN,
      ...("headers" in how ? how.headers : {}),
    };

    const answer = await service.call(method, path, { ...how, headers });

    assert.equal(answer.status, status, answer.text);
    if (headers.accept) assert.match(answer.headers["content-type"] ?? "", /^text\/html/);
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.deepEqual(namesOf(answer.headers["access-control-expose-headers"]), EXPOSED);
  });
}

const paths = [
  ["/v1/rates/EUR/USD", ["GET", "HEAD"]],
  ["/v1/rates/E/USD", ["GET", "HEAD"]],
  ["/v1/account/usage", ["GET", "HEAD"]],
  ["/v1/account/settings", ["GET", "HEAD", "PATCH"]],
  ["/v1/account/usage/daily", ["GET", "HEAD"]],
  ["/v1/account/api-keys", ["GET", "HEAD", "POST"]],
  [`/v1/account/api-keys/${id}`, ["DELETE"]],
  ["/v1/auth/register", ["POST"]],
  ["/v1/auth/login", ["POST"]],
  ["/v1/auth/logout", ["POST"]],
  // A page then sees the 404 of its request.
  ["/v1/nothing", []],
] as const;

for (const [path, methods] of paths) {
  test(`CORS: a preflight of ${path.replace(id, "{id}")} is 204 and needs no credential`, async () => {
    const headers = {
      origin: ORIGIN,
      "access-control-request-method": methods[0] ?? "GET",
      "access-control-request-headers": "authorization,content-type",
    };

    const answer = await service.call("OPTIONS", path, { headers });

    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    const allowed = namesOf(answer.headers["access-control-allow-methods"]);
    for (const method of methods) assert.ok(allowed.includes(method.toLowerCase()), method);
    assert.deepEqual(namesOf(answer.headers["access-control-allow-headers"]), ALLOWED);
    assertCommonHeaders(answer);
  });
}

test("CORS: a preflight with a key is not charged, and one with a session changes nothing", async () => {
  const before = await service.usedUnits(session);
  const keys = service.query("SELECT * FROM api_keys");
  const headers = { origin: ORIGIN, "access-control-request-method": "GET" };

  const read = await service.call("OPTIONS", "/v1/rates/EUR/USD", { apiKey, headers });
  const revocation = await service.call("OPTIONS", `/v1/account/api-keys/${id}`, {
    session,
    headers: { ...headers, "access-control-request-method": "DELETE" },
  });

  assert.deepEqual([read.status, revocation.status], [204, 204]);
  assert.equal(await service.usedUnits(session), before);
  assert.deepEqual(service.query("SELECT * FROM api_keys"), keys);
});

test("CORS: what has only one header of a preflight, or none, is none: 405 with Allow", async () => {
  for (const headers of [{}, { origin: ORIGIN }, { "access-control-request-method": "GET" }]) {
    const answer = await service.call("OPTIONS", "/v1/account/api-keys", { headers });
    assertFailure(answer, 405, "method_not_allowed");
    assert.equal(answer.headers.allow, "GET, HEAD, POST", JSON.stringify(headers));
  }
});
