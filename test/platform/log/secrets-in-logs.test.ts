import assert from "node:assert/strict";
import { test } from "node:test";
import { uuidV7 } from "../../support/assertions.ts";
import { type Answer, PASSWORD } from "../../support/client.ts";
import { eventually, mailTo, tokenOf } from "../../support/mails.ts";
import { sendRaw } from "../../support/raw-connection.ts";
import { startService } from "../../support/service.ts";

const CONFIRM = "/v1/auth/password-reset/confirm";
const OTHER_PASSWORD = "quite another passphrase";
const EMAIL = "ada.lovelace@example.org";

/** Uses secrets correctly and wrongly until the service has stopped. @returns responses and log. */
async function runToTheEnd() {
  await using service = await startService({ config: { freePlanUnits: 8 } });
  const { url, logLines } = service;
  const session = await service.openSession(EMAIL);
  const { id, apiKey } = await service.createKey(session, "my secret project");
  const answers: Answer[] = [];
  const keep = async (pending: Promise<Answer>) => void answers.push(await pending);

  await keep(service.post("/v1/auth/password-reset", { json: { email: EMAIL } }));
  const verification = tokenOf(await mailTo(service.dataDirectory, EMAIL, "verify"));
  const reset = tokenOf(await mailTo(service.dataDirectory, EMAIL, "reset"));

  await keep(service.get("/v1/rates/EUR/USD", { apiKey }));
  await keep(service.call("HEAD", "/v1/rates/EUR/USD", { apiKey }));
  await keep(service.get("/v1/rates/E/USD", { apiKey }));
  await keep(service.get("/v1/rates/USD/NONE", { apiKey }));
  await keep(service.post("/v1/rates/EUR/USD", { apiKey }));
  await keep(service.get("/v1/account/usage", { session }));
  for (const secret of [apiKey, session, PASSWORD, verification, reset]) {
    const text = encodeURIComponent(secret);
    await keep(service.get(`/v1/rates/${text}/USD`, { apiKey }));
    await keep(service.get(`/v1/rates/EUR/USD?api_key=${text}`));
    await keep(service.get(`/nowhere/${text}?token=${text}`));
    await keep(service.get(`/v1/rates/${text}%zz/USD`));
    await keep(service.call("DELETE", `/v1/account/api-keys/${text}`, { session }));
    await keep(service.get("/v1/account/usage", { apiKey: secret }));
    await keep(service.get("/v1/account/usage", { headers: { authorization: secret } }));
    await keep(service.get("/healthz", { headers: { cookie: text, "x-api-key": text } }));
    await keep(service.get("/healthz", { headers: { "x-request-id": text, "user-agent": text } }));
    await keep(service.post("/v1/account/api-keys", { session, json: { name: { a: secret } } }));
    await keep(service.post("/v1/auth/login", { json: { email: secret, password: secret } }));
    await keep(service.post("/v1/auth/login", { json: { [secret]: secret } }));
    await keep(service.post("/v1/auth/login", { json: { email: EMAIL, password: [secret] } }));
    await keep(service.post(`/v1/auth/verification/${text}`, { json: { token: secret } }));
    await keep(service.post(`/v1/auth/verification?token=${text}`, { json: {} }));
    await keep(service.post("/v1/auth/verification", { json: { token: [secret] } }));
    await keep(service.post("/v1/auth/verification/resend", { json: { email: secret } }));
    await keep(service.post("/v1/auth/password-reset", { json: { email: secret } }));
    await keep(service.post(CONFIRM, { json: { token: `${secret} `, password: secret } }));
    const headers = { "content-type": "application/json" };
    await keep(service.post("/v1/auth/login", { raw: `{"password":"${secret}"`, headers }));
    answers.push(...(await sendRaw(url, `GET /${secret}\u00e4 HTTP/1.1\r\nHost: x\r\n\r\n`)));
    answers.push(...(await sendRaw(url, `${secret} / HTTP/1.1\r\nHost: x\r\n\r\n`)));
    answers.push(...(await sendRaw(url, `CONNECT ${text}:443 HTTP/1.1\r\nHost: x\r\n\r\n`)));
  }
  await keep(service.post("/v1/auth/verification", { json: { token: verification } }));
  await keep(service.post("/v1/auth/verification", { json: { token: verification } }));
  await keep(service.post("/v1/auth/verification/resend", { json: { email: EMAIL } }));
  await keep(service.post(CONFIRM, { json: { token: reset, password: "password1" } }));
  for (const password of [OTHER_PASSWORD, "password1"]) {
    await keep(service.post("/v1/auth/login", { json: { email: EMAIL, password } }));
    await keep(service.post("/v1/auth/register", { json: { email: EMAIL, password } }));
  }
  await keep(service.call("DELETE", `/v1/account/api-keys/${id}`, { session }));
  service.query("ALTER TABLE api_keys RENAME TO api_keys_gone");
  await keep(service.get("/v1/rates/EUR/USD", { apiKey }));
  await keep(service.get("/v1/account/api-keys", { session }));
  await keep(service.post(CONFIRM, { json: { token: reset, password: OTHER_PASSWORD } }));
  await eventually("delivery of every mail", () => {
    const waiting = service.query("SELECT 1 FROM mails WHERE delivered_at IS NULL");
    return waiting.length === 0 || undefined;
  });
  service.query("UPDATE accounts SET password_hash = 'unreadable-form'");
  await keep(service.post("/v1/auth/login", { json: { email: EMAIL, password: PASSWORD } }));
  await keep(service.post("/v1/auth/logout", { session }));
  return { answers, logLines, session, apiKey, mailTokens: [verification, reset] };
}

const { answers, logLines, session, apiKey, mailTokens } = await runToTheEnd();

test("logs: no line contains a key, token or password, wherever the client put it", () => {
  const secrets = [apiKey.slice(17), session.slice(9), PASSWORD, OTHER_PASSWORD, "password1"];
  secrets.push(...mailTokens);

  for (const secret of secrets) {
    for (const form of [secret, encodeURIComponent(secret), secret.toUpperCase()]) {
      const lines = logLines.filter((line) => line.includes(form));
      assert.deepEqual(lines, []);
    }
  }
});

test("logs: each delivery names the kind of mail, and no line contains a link", () => {
  const kinds = logLines
    .filter((line) => line.includes("a mail was delivered"))
    .map((line) => (JSON.parse(line) as Readonly<Record<string, unknown>>).kind);

  assert.deepEqual(kinds.sort(), ["password_changed", "password_reset", "verification"]);
  assert.ok(!logLines.some((line) => /#token|\/verify\b|\/reset\b/.test(line)));
});

test("logs: no line contains an email or the name of a key", () => {
  const log = logLines.join("").toLowerCase();

  assert.ok(!log.includes("lovelace"));
  assert.ok(!log.includes("my secret project"));
});

test("logs: the run received every expected status", () => {
  const statuses = new Set(answers.map(({ status }) => status));

  assert.deepEqual([...statuses].sort(), [200, 202, 204, 400, 401, 404, 405, 409, 500, 503]);
});

test("logs: every response has exactly one line with its request id and status", () => {
  const lines = logLines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

  for (const { headers, status, text } of answers) {
    const id = headers["x-request-id"] ?? "";
    assert.match(id, uuidV7);
    const own = lines.filter((line) => line.request_id === id && line.status !== undefined);
    assert.deepEqual(
      own.map((line) => line.status),
      [status],
      text,
    );
  }
});

test("logs: every line is a JSON object with a level and a time", () => {
  for (const line of logLines) {
    assert.match(line, /^\{[^\n]*\}\n$/);
    const { level, time } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    assert.ok(["info", "warn", "error"].includes(String(level)), line);
    assert.ok(time !== undefined);
  }
});
