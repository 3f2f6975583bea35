import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../support/assertions.ts";
import { mailTo } from "../support/mails.ts";
import { sendRaw } from "../support/raw-connection.ts";
import { startService } from "../support/service.ts";

const EMAIL = "ada@example.org";
const PASSWORD = "correct horse battery";

test("hostile headers: neither Host nor a forwarded host appears in the link of a mail", async () => {
  await using service = await startService();
  const headers = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "gopher",
    "x-original-url": "https://evil.example/",
    forwarded: "host=evil.example;proto=https",
    origin: "https://evil.example",
    referer: "https://evil.example/",
  };
  const json = { email: EMAIL, password: PASSWORD };

  await service.post("/v1/auth/register", { json, headers });
  await service.post("/v1/auth/password-reset", { json, headers });
  await service.post("/v1/auth/verification/resend", { json, headers });

  const mails = [
    await mailTo(service.dataDirectory, EMAIL, "reset"),
    await mailTo(service.dataDirectory, EMAIL, "verify"),
  ];
  for (const { text = "", html = "" } of mails) {
    assert.ok(text.includes(`${service.url}/`), text);
    assert.doesNotMatch(text + html, /evil|gopher/);
  }
  const { body } = await service.get("/openapi.json", { headers });
  assert.deepEqual(body.servers, [{ url: service.url }]);
});

const forged = [
  "203.0.113.1",
  "203.0.113.1, 203.0.113.2, 203.0.113.3",
  "::1",
  "2001:db8::1, 127.0.0.1",
  "[2001:db8::1]:443",
  "::ffff:203.0.113.1",
  "unknown",
  "_hidden",
  ",,,",
  "' OR 1=1 --",
  "999.999.999.999",
  `${"1.1.1.1, ".repeat(500)}127.0.0.1`,
];

test("hostile headers: without TRUST_PROXY, X-Forwarded-For does not change the client address", async () => {
  await using service = await startService({ config: { authCallsPerWindow: forged.length } });
  const json = { email: EMAIL, password: "short" };

  for (const value of forged) {
    const headers = { "x-forwarded-for": value };
    const answer = await service.post("/v1/auth/register", { json, headers });
    assertFailure(answer, 400, "invalid_request", /^password/);
  }

  const last = await service.post("/v1/auth/register", { json });
  assertFailure(last, 429, "too_many_requests");
});

test("hostile headers: behind a proxy only the entry that the proxy added counts", async () => {
  const config = { authCallsPerWindow: forged.length, trustedProxies: ["loopback"] };
  await using service = await startService({ config });
  const json = { email: EMAIL, password: "short" };
  const from = (front: string, client: string) =>
    service.post("/v1/auth/register", {
      json,
      headers: { "x-forwarded-for": `${front}, ${client}` },
    });

  for (const front of forged) {
    assertFailure(await from(front, "198.51.100.7"), 400, "invalid_request", /^password/);
  }

  assertFailure(await from("203.0.113.99", "198.51.100.7"), 429, "too_many_requests");
  assertFailure(await from("198.51.100.7", "198.51.100.8"), 400, "invalid_request", /^password/);
});

test("hostile headers: a client's CR, LF, escapes and JSON forge no log line or field", async () => {
  await using service = await startService();
  const { session, apiKey } = await service.newCustomer(EMAIL);
  const hostile = 'x\r\n{"level":60,"msg":"forged"}\u001b[2J';
  const escaped = encodeURIComponent(hostile);
  const before = service.logLines.length;

  await service.get(`/v1/rates/${escaped}/USD?a=${escaped}`, { apiKey });
  await service.get(`/${escaped}`);
  await service.call("DELETE", `/v1/account/api-keys/${escaped}`, { session });
  await service.post("/v1/account/api-keys", { session, json: { name: hostile } });
  await service.post("/v1/auth/login", { json: { email: hostile, password: hostile } });
  await service.post("/v1/auth/login", { json: { [hostile]: hostile } });
  await service.post("/v1/auth/verification", { json: { token: hostile } });
  for (const line of ["GET /x\u001b[2J", "FORGED", 'GET /"}{"level":60']) {
    await sendRaw(service.url, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  }
  const agent = { "user-agent": '"}{"level":60,"msg":"forged"}', "x-request-id": "forged" };
  await service.get("/healthz", { headers: agent });

  const log = service.logLines.slice(before).join("");
  const lines = log.trimEnd().split("\n");
  assert.ok(lines.length >= 11, log);
  for (const line of lines) {
    const { level, msg } = JSON.parse(line) as { level: string; msg?: string };
    assert.deepEqual([level, msg], ["info", undefined], line);
  }
  for (const text of ["forged", "\u001b", "\r"]) assert.ok(!log.includes(text), text);
});

test("hostile headers: no response header contains text of the client", async () => {
  await using service = await startService();
  const { apiKey } = await service.newCustomer(EMAIL);
  const injected = encodeURIComponent("EUR\r\nSet-Cookie: a=injected\r\n");
  const headers = { origin: "https://injected.example", "x-request-id": "injected" };

  for (const path of [`/v1/rates/${injected}/USD`, `/${injected}`, `/healthz?${injected}`]) {
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT"]) {
      const answer = await service.call(method, path, { apiKey, headers });
      assert.doesNotMatch(JSON.stringify(answer.headers), /injected/, `${method} ${path}`);
      assert.equal(answer.headers["set-cookie"], undefined);
      assert.equal(answer.headers["access-control-allow-credentials"], undefined);
    }
  }
});
