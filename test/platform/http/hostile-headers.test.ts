import assert from "node:assert/strict";
import { test } from "node:test";
import { mailTo } from "../../support/mails.ts";
import { sendRaw } from "../../support/raw-connection.ts";
import { startService } from "../../support/service.ts";

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
