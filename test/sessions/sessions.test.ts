import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import {
  assertCommonHeaders,
  assertKeyRefused,
  assertSessionRefused,
} from "../support/assertions.ts";
import { startService, startSharedService } from "../support/service.ts";

const USAGE = "/v1/account/usage";
const KEYS = "/v1/account/api-keys";
const DAY_MS = 86_400_000;
const PASSWORD = "correct horse battery";

const service = await startSharedService();

const logIn = async (email: string) => {
  const answer = await service.post("/v1/auth/login", { json: { email, password: PASSWORD } });
  return String(answer.body.session_token);
};

test("§2 sessions: a log-in returns 200 with the token and its expiry in 24 hours", async () => {
  await service.openSession("shape@example.org");

  const answer = await service.post("/v1/auth/login", {
    json: { email: "shape@example.org", password: PASSWORD },
  });

  assert.equal(answer.status, 200);
  assert.deepEqual(Object.keys(answer.body).sort(), ["expires_at", "session_token"]);
  assert.match(String(answer.body.session_token), /^svc_sess_\S{32,}$/);
  const end = new Date(service.clock.nowMs() + DAY_MS).toISOString();
  assert.equal(answer.body.expires_at, end);
  assertCommonHeaders(answer);
});

test("§3 sessions: a session expires exactly 24 hours after its log-in", async () => {
  const session = await service.openSession();

  service.clock.advanceMs(DAY_MS - 1);
  assert.equal((await service.get(USAGE, { session })).status, 200);
  service.clock.advanceMs(1);
  assertSessionRefused(await service.get(USAGE, { session }));
  service.clock.advanceMs(1);
  assertSessionRefused(await service.get(USAGE, { session }));
});

test("§3 sessions: using a session does not extend it", async () => {
  const session = await service.openSession();

  for (let hour = 0; hour < 23; hour += 1) {
    service.clock.advanceMs(DAY_MS / 24);
    assert.equal((await service.get(USAGE, { session })).status, 200);
  }
  service.clock.advanceMs(DAY_MS / 24);
  assertSessionRefused(await service.get(USAGE, { session }));
});

test("§3 sessions: an expired session can neither create nor revoke keys; the keys stay valid", async () => {
  const email = "expired@example.org";
  const { session, keyId: id, apiKey } = await service.newCustomer(email);
  service.clock.advanceMs(DAY_MS);

  assertSessionRefused(await service.post(KEYS, { session, json: { name: "late" } }));
  assertSessionRefused(await service.call("DELETE", `${KEYS}/${id}`, { session }));

  const renewed = await logIn(email);
  const { body } = await service.get(KEYS, { session: renewed });
  const items = body.api_keys as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    items.map((item) => [item.id, item.revoked_at]),
    [[id, undefined]],
  );
  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
});

test("§5 sessions: each log-in returns a new token, and older tokens stay valid", async () => {
  const email = "twice@example.org";
  const first = await service.openSession(email);
  const second = await logIn(email);

  assert.notEqual(first, second);
  for (const session of [first, second]) {
    assert.equal((await service.get(USAGE, { session })).status, 200);
  }
});

test("sessions: a log-out returns 204 without a body and ends only that session", async () => {
  const email = "leaving@example.org";
  const leaving = await service.openSession(email);
  const staying = await logIn(email);

  const answer = await service.post("/v1/auth/logout", { session: leaving });

  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assertCommonHeaders(answer);
  assertSessionRefused(await service.get(USAGE, { session: leaving }));
  assertSessionRefused(await service.post("/v1/auth/logout", { session: leaving }));
  assert.equal((await service.get(USAGE, { session: staying })).status, 200);
});

test("sessions: a log-out without a valid session returns 401", async () => {
  const { apiKey } = await service.newCustomer();

  assertSessionRefused(await service.post("/v1/auth/logout"));
  assertSessionRefused(await service.post("/v1/auth/logout", { apiKey }));
});

test("sessions: an API key stays valid after the session that created it has ended", async () => {
  const { session, apiKey } = await service.newCustomer();
  await service.post("/v1/auth/logout", { session });

  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
});

test("sessions: sessions and log-outs persist across a restart", async () => {
  await using first = await startService();
  const { dataDirectory } = first;
  const staying = await first.openSession();
  const leaving = await first.openSession();
  await first.post("/v1/auth/logout", { session: leaving });

  await using second = await startService({ dataDirectory });

  assert.equal((await second.get(USAGE, { session: staying })).status, 200);
  assertSessionRefused(await second.get(USAGE, { session: leaving }));
});

test("sessions: the database holds the SHA-256 of a session token but not the token", async () => {
  const session = await service.openSession();

  const digest = hash("sha256", session);
  const [row] = service.query("SELECT 1 AS found FROM sessions WHERE token_hash = ?", digest);
  assert.equal(row?.found, 1);
  const secret = session.slice("svc_sess_".length);
  for (const { name } of service.query("SELECT name FROM sqlite_master WHERE type = 'table'")) {
    assert.ok(!JSON.stringify(service.query(`SELECT * FROM ${name}`)).includes(secret));
  }
});

test("§5 sessions: the rate endpoint rejects a session token and charges nothing", async () => {
  const session = await service.openSession();
  await service.createKey(session);

  for (const scheme of ["Session", "ApiKey", "Bearer"]) {
    const headers = { authorization: `${scheme} ${session}` };
    assertKeyRefused(await service.get("/v1/rates/EUR/USD", { headers }));
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("§5 sessions: account endpoints reject an API key", async () => {
  const { session, keyId: id, apiKey } = await service.newCustomer();

  for (const scheme of ["ApiKey", "Session", "Bearer"]) {
    const headers = { authorization: `${scheme} ${apiKey}` };
    assertSessionRefused(await service.get(USAGE, { headers }));
    assertSessionRefused(await service.get(KEYS, { headers }));
    assertSessionRefused(await service.post(KEYS, { headers, json: { name: "more" } }));
    assertSessionRefused(await service.call("DELETE", `${KEYS}/${id}`, { headers }));
    assertSessionRefused(await service.post("/v1/auth/logout", { headers }));
  }
  const { body } = await service.get(KEYS, { session });
  assert.equal((body.api_keys as readonly unknown[]).length, 1);
  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
});
