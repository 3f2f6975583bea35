import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCommonHeaders } from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";
import { openWire, plainRead } from "../support/raw-connection.ts";
import { startService, startSharedService } from "../support/service.ts";

// Errors carry the same headers: assertFailure checks them for every failure.

const service = await startSharedService();

const { session, keyId: id, apiKey } = await service.newCustomer("ada@example.org");
const credentials = { email: "ada@example.org", password: "correct horse battery" };
const preflight = { origin: "https://x.example", "access-control-request-method": "GET" };

test("headers: the Date of each response is the service's time to the second", async () => {
  using connection = await openWire(service.url);
  const read = plainRead(apiKey);
  for (const milliseconds of [0, 999, 1, 60_000]) {
    service.clock.advanceMs(milliseconds);
    connection.send(read);
    const { lines } = await connection.answer();
    const date = lines.find((line) => line.startsWith("Date: "))?.slice("Date: ".length);
    assert.equal(date, new Date(service.clock.nowMs()).toUTCString());
  }
});

const calls: readonly (readonly [string, number, () => Promise<Answer>])[] = [
  ["a rate", 200, () => service.get("/v1/rates/EUR/USD", { apiKey })],
  ["HEAD of a rate", 200, () => service.call("HEAD", "/v1/rates/EUR/USD", { apiKey })],
  ["the usage", 200, () => service.get("/v1/account/usage", { session })],
  ["the daily usage", 200, () => service.get("/v1/account/usage/daily", { session })],
  ["the list of keys", 200, () => service.get("/v1/account/api-keys", { session })],
  ["a new key", 201, () => service.post("/v1/account/api-keys", { session, json: { name: "n" } })],
  ["a revocation", 204, () => service.call("DELETE", `/v1/account/api-keys/${id}`, { session })],
  [
    "a new account",
    201,
    () => service.post("/v1/auth/register", { json: { ...credentials, email: "b@example.org" } }),
  ],
  ["a log-in", 200, () => service.post("/v1/auth/login", { json: credentials })],
  ["a log-out", 204, () => service.post("/v1/auth/logout", { session })],
  ["a preflight", 204, () => service.call("OPTIONS", "/v1/rates/EUR/USD", { headers: preflight })],
  ["HEAD of an unknown path", 404, () => service.call("HEAD", "/nowhere")],
  ["the health", 200, () => service.get("/healthz")],
  ["the readiness", 200, () => service.get("/readyz")],
  ["the document", 200, () => service.get("/openapi.json")],
];

for (const [what, status, call] of calls) {
  test(`headers: ${what} (${status}) forbids caching, framing and sniffing and has a request id`, async () => {
    const answer = await call();

    assert.equal(answer.status, status, answer.text);
    assertCommonHeaders(answer);
    assert.equal(answer.headers.server, undefined);
    assert.equal(answer.headers.etag, undefined);
    assert.equal(answer.headers["strict-transport-security"], undefined);
  });
}

test("headers: over TLS every response, also an error, sets HSTS for a year", async () => {
  await using own = await startService({ config: { publicUrl: "https://rates.example.org" } });

  for (const path of [
    "/healthz",
    "/v1/rates/EUR/USD",
    "/v1/account/usage",
    "/v1/nothing",
    "/%zz",
  ]) {
    const { headers } = await own.get(path);
    assert.match(headers["strict-transport-security"] ?? "", /^max-age=31536000\b/, path);
  }
});
