import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCommonHeaders } from "../../support/assertions.ts";
import { openWire, plainRead } from "../../support/raw-connection.ts";
import { startService, startSharedService } from "../../support/service.ts";

// Every documented response of a test is checked for the same headers (test/support/response-check.ts),
// and assertFailure checks them for every failure.

const service = await startSharedService();

const { apiKey } = await service.newCustomer();

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

test("headers: responses that are not documented have the same, and none has an ETag or HSTS", async () => {
  for (const [status, method, path, how] of [
    [200, "GET", "/v1/rates/EUR/USD", { apiKey }],
    [404, "HEAD", "/nowhere", {}],
    [200, "GET", "/openapi.json", {}],
  ] as const) {
    const answer = await service.call(method, path, how);
    assert.equal(answer.status, status, answer.text);
    assertCommonHeaders(answer);
    assert.equal(answer.headers.etag, undefined);
    assert.equal(answer.headers["strict-transport-security"], undefined);
  }
});

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
