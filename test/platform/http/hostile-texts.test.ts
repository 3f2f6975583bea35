import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { assertFailure } from "../../support/assertions.ts";
import { engines, startServiceOn } from "../../support/both-engines.ts";
import { mailTo } from "../../support/mails.ts";
import { openWire, sendRaw } from "../../support/raw-connection.ts";
import { startService, startSharedService } from "../../support/service.ts";

const service = await startSharedService({ config: { authCallsPerWindow: 1_000 } });

const PASSWORD = "correct horse battery";
const KIB_16 = 16 * 1024;
const asJson = { "content-type": "application/json" };

const accounts = () => service.query("SELECT id, email, plan, email_verified_at FROM accounts");

test("hostile bodies: a compressed body is not decompressed and is invalid JSON", async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, " "), { level: 9 });
  const good = Buffer.from(JSON.stringify({ email: "gz@example.org", password: PASSWORD }));
  const before = accounts();

  for (const [encoding, body] of [
    ["gzip", bomb.subarray(0, KIB_16)],
    ["gzip", gzipSync(good)],
    ["br", brotliCompressSync(good)],
    ["gzip, gzip", gzipSync(gzipSync(good))],
  ] as const) {
    using wire = await openWire(service.url);
    wire.send(
      `POST /v1/auth/register HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n` +
        `Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n` +
        body.toString("latin1"),
    );
    const answer = await wire.answer();
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, /"message":"The request body is not valid JSON."/);
  }
  assert.deepEqual(accounts(), before);
});

test("hostile bodies: a leading byte order mark is ignored (RFC 8259, 8.1)", async () => {
  const raw = `\ufeff{"email":"bom@example.org","password":"${PASSWORD}"}`;

  const { status, body } = await service.post("/v1/auth/register", { raw, headers: asJson });

  assert.deepEqual([status, body.email], [201, "bom@example.org"]);
});

test("hostile bodies: of a repeated field every check uses the last value", async () => {
  const raw = `{"email":"first@example.org","email":"last@example.org","password":"${PASSWORD}"}`;

  const { status, body } = await service.post("/v1/auth/register", { raw, headers: asJson });

  assert.deepEqual([status, body.email], [201, "last@example.org"]);
  assert.ok(!accounts().some(({ email }) => email === "first@example.org"));
});

test("hostile bodies: an email of look-alike letters does not log in to the account", async () => {
  const json = { email: "look@example.org", password: PASSWORD };
  await service.post("/v1/auth/register", { json });

  for (const email of ["l\u03bfok@example.org", "look@ex\u0430mple.org", "ｌook@example.org"]) {
    const answer = await service.post("/v1/auth/login", { json: { ...json, email } });
    assert.ok([400, 401].includes(answer.status), answer.text);
  }
});

const EMAIL = "ada@example.org";

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

// Texts that a store might interpret, in every place where a text from a client reaches it.

const hostile = [
  "' OR '1'='1",
  "'; DROP TABLE accounts; --",
  "x' UNION SELECT password_hash, 1 FROM accounts --",
  '" OR ""="',
  "\\'; SELECT pg_sleep(9); --",
  "$1",
  "?1",
  ":id",
  "%",
  "_".repeat(36),
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u02bc OR 1=1",
  "\u{1f4a9}".repeat(50),
  "{}",
  "NULL",
];

const isSendable = (value: string) => [...value].every((letter) => letter >= " ");

for (const engine of engines) {
  test(`SQL and other texts that a store might interpret are stored as plain text, on ${engine}`, async () => {
    await using on = await startServiceOn(engine, { config: { authCallsPerWindow: 1_000 } });
    const { service } = on;
    const json = { email: "holder@example.org", password: PASSWORD };
    const session = await service.openSession(json.email);
    const { id, apiKey } = await service.createKey(session, "kept");

    for (const text of hostile) {
      const escaped = encodeURIComponent(text.toWellFormed());
      const path = `/v1/account/api-keys/${escaped}`;
      assertFailure(await service.call("DELETE", path, { session }), 404, "not_found");

      for (const email of [text, `${text}@example.org`, `"${text}"@example.org`]) {
        const login = await service.post("/v1/auth/login", { json: { email, password: text } });
        assert.ok([400, 401].includes(login.status), login.text);
        const reset = await service.post("/v1/auth/password-reset", { json: { email } });
        assert.ok([202, 400].includes(reset.status), reset.text);
      }
      const confirmation = { token: text, password: PASSWORD };
      for (const way of ["verification", "password-reset/confirm"]) {
        const answer = await service.post(`/v1/auth/${way}`, { json: confirmation });
        assertFailure(answer, 400, "invalid_token");
      }

      const read = await service.get(`/v1/rates/${escaped}/USD`, { apiKey });
      const code = text === "NULL" ? "unsupported_pair" : "invalid_asset_symbol";
      assertFailure(read, code === "unsupported_pair" ? 404 : 400, code);
      for (const credential of [text, `${apiKey}${text}`, `svc_live_${text}`]) {
        const value = Buffer.from(credential).toString("latin1");
        if (!isSendable(value)) continue;
        const rejected = await service.get("/v1/rates/EUR/USD", { apiKey: value });
        assertFailure(rejected, 401, "unauthorized");
      }

      const named = await service.post("/v1/account/api-keys", { session, json: { name: text } });
      if (isSendable(text)) assert.equal(named.body.name, text.toWellFormed());
      else assertFailure(named, 400, "invalid_request");
      const made = `/v1/account/api-keys/${named.body.id}`;
      if (named.status === 201) await service.call("DELETE", made, { session });
    }

    const { body } = await service.get("/v1/account/api-keys", { session });
    const keys = body.api_keys as { id: string; name: string; revoked_at?: string }[];
    const active = keys.filter(({ revoked_at }) => revoked_at === undefined);
    assert.deepEqual(
      active.map((key) => key.id),
      [id],
    );
    const kept = hostile.filter(isSendable).map((text) => text.toWellFormed());
    assert.deepEqual(
      keys.slice(1).map(({ name }) => name),
      kept,
    );
    assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
    assert.equal((await service.post("/v1/auth/login", { json })).status, 200);
  });
}
