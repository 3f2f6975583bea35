import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { assertFailure } from "../support/assertions.ts";
import { type Answer, PASSWORD } from "../support/client.ts";
import { startService, type TestService } from "../support/service.ts";

const LOGIN = "/v1/auth/login";
const REGISTER = "/v1/auth/register";
const RESEND = "/v1/auth/verification/resend";
const RESET = "/v1/auth/password-reset";
const CONFIRM = "/v1/auth/password-reset/confirm";
const EMAIL = "ada@example.org";
const WINDOW_MS = 900_000;

/**
 * A service with an account whose stored password hash is unreadable, so that a log-in that
 * reaches the password check returns 500: every other response was sent before any hashing.
 */
async function startWithUnreadableHash(authCallsPerWindow = 20) {
  const service = await startService({ config: { authCallsPerWindow } });
  service.query(
    `INSERT INTO accounts (id, email, password_hash, plan, created_at)
     VALUES ('unreadable-hash', ?, 'unreadable', 'free', '2026-11-21T00:00:00.000Z')`,
    EMAIL,
  );
  return service;
}

const logIn = (service: TestService, email = EMAIL, headers: Record<string, string> = {}) =>
  service.post(LOGIN, { json: { email, password: PASSWORD }, headers });

const register = (service: TestService, email: string, password = "short", from?: string) =>
  service.post(REGISTER, {
    json: { email, password },
    ...(from === undefined ? {} : { headers: { "x-forwarded-for": from } }),
  });

async function spend(calls: number, call: () => Promise<Answer>) {
  for (let index = 0; index < calls; index += 1) assert.notEqual((await call()).status, 429);
}

function assertLimited(answer: Answer, retryAfterSeconds = 900) {
  assertFailure(answer, 429, "too_many_requests");
  assert.equal(answer.headers["retry-after"], String(retryAfterSeconds));
  const wait = retryAfterSeconds < 120 ? / [1-9]\d* seconds? / : / [1-9]\d* minutes /;
  assert.match(String(answer.body.message), wait);
}

test("the message of a 429 says how long to wait, as Retry-After does", async () => {
  await using service = await startService({ config: { authCallsPerWindow: 1 } });
  await logIn(service);
  const message = async () => (await logIn(service)).body.message;
  assert.equal(await message(), "Too many attempts. Please wait 15 minutes and try again.");
  service.clock.advanceMs(781_000);
  assert.equal(await message(), "Too many attempts. Please wait 119 seconds and try again.");
  service.clock.advanceMs(118_000);
  assert.equal(await message(), "Too many attempts. Please wait 1 second and try again.");
});

test("§8 auth limit: the 21st call within 15 minutes returns 429 before any password is hashed", async () => {
  await using service = await startWithUnreadableHash();
  for (let call = 1; call <= 20; call += 1) assert.equal((await logIn(service)).status, 500);

  assertLimited(await logIn(service));
});

test("§8 auth limit: a registration above the limit returns 429 and creates no account", async () => {
  await using service = await startService({ config: { authCallsPerWindow: 2 } });
  await spend(2, () => register(service, "new@example.org"));

  assertLimited(await register(service, "new@example.org", PASSWORD));
  assertLimited(await register(service, "new@example.org", "short"));
  assert.deepEqual(service.query("SELECT * FROM accounts"), []);
});

test("§8 auth limit: a log-in above the limit opens no session, even with the right password", async () => {
  await using service = await startService({ config: { authCallsPerWindow: 2 } });
  await service.openSession(EMAIL);

  assertLimited(await logIn(service));
  assert.equal(service.query("SELECT * FROM sessions").length, 1);
});

test("§8 auth limit: register and login count against the same limit", async () => {
  await using service = await startWithUnreadableHash(4);
  await spend(2, () => register(service, EMAIL));
  await spend(2, () => logIn(service));

  assertLimited(await register(service, EMAIL));
  assertLimited(await logIn(service));
});

test("§8 auth limit: resend and password-reset count too, also for an unknown email", async () => {
  await using service = await startWithUnreadableHash(4);
  for (const email of [EMAIL, "nobody@example.org"]) {
    const how = { json: { email } };
    for (const path of [RESEND, RESET]) assert.equal((await service.post(path, how)).status, 202);
    await spend(1, () => register(service, email));
    assert.equal((await service.post(RESET, how)).status, 202);
    const before = service.query("SELECT token_hash FROM mail_tokens");

    for (const path of [RESEND, RESET]) assertLimited(await service.post(path, how));
    assertLimited(await register(service, email));
    assertLimited(await logIn(service, email));
    assert.deepEqual(service.query("SELECT token_hash FROM mail_tokens"), before);
  }
});

test("§8 auth limit: confirming a verification does not count", async () => {
  await using service = await startWithUnreadableHash(1);
  const json = { token: "3f".repeat(32) };
  const confirm = () => service.post("/v1/auth/verification", { json });

  for (let call = 0; call < 31; call += 1) assertFailure(await confirm(), 400, "invalid_token");

  assert.deepEqual(service.query("SELECT * FROM auth_windows"), []);
  await spend(1, () => logIn(service));
  assertLimited(await logIn(service));
  assertFailure(await confirm(), 400, "invalid_token");
});

test("§8 auth limit: confirming a reset counts only against the client address, before any hashing", async () => {
  await using service = await startWithUnreadableHash(1);
  const token = "3f".repeat(32);
  const valid = `INSERT INTO mail_tokens (token_hash, account_id, purpose, expires_at)
    VALUES (?, 'unreadable-hash', 'password_reset', '2027-01-01T00:00:00.000Z')`;
  service.query(valid, hash("sha256", token));
  const confirm = (text: string) =>
    service.post(CONFIRM, { json: { token: text, password: PASSWORD } });

  for (let call = 0; call < 29; call += 1) {
    assertFailure(await confirm("3e".repeat(32)), 400, "invalid_token");
  }
  // Nothing has counted against this email, so its one log-in still reaches the password check.
  assert.equal((await logIn(service)).status, 500);

  assertLimited(await confirm(token));
  assertLimited(await logIn(service, "other@example.org"));
  const [account] = service.query("SELECT password_hash FROM accounts");
  assert.equal(account?.password_hash, "unreadable");
  assert.equal(service.query("SELECT * FROM mail_tokens").length, 1);
});

test("§8 auth limit: of 30 concurrent calls the limiter admits exactly 20", async () => {
  await using service = await startWithUnreadableHash();

  const answers = await Promise.all(Array.from({ length: 30 }, () => logIn(service)));

  const limited = answers.filter(({ status }) => status === 429);
  assert.equal(limited.length, 10);
  for (const answer of limited) assertLimited(answer);
});

test("§8 auth limit: another email from the same client address is not affected", async () => {
  await using service = await startWithUnreadableHash(2);
  await spend(2, () => logIn(service));
  assertLimited(await logIn(service));

  assert.equal((await register(service, "other@example.org", PASSWORD)).status, 201);
  assert.equal((await logIn(service, "other@example.org")).status, 200);
});

test("§8 auth limit: an email in other case or with white space counts as the same email", async () => {
  await using service = await startWithUnreadableHash(3);
  await logIn(service, "ADA@EXAMPLE.ORG");
  await logIn(service, " Ada@Example.Org ");
  await logIn(service, EMAIL);

  assertLimited(await logIn(service, "aDA@example.org\n"));
});

test("§8 auth limit: the window is fixed: it starts with the first call and later calls do not extend it", async () => {
  await using service = await startWithUnreadableHash(3);
  await spend(1, () => logIn(service));
  service.clock.advanceMs(WINDOW_MS - 10_500);
  await spend(2, () => logIn(service));

  assertLimited(await logIn(service), 11);
  service.clock.advanceMs(10_499);
  assertLimited(await logIn(service), 1);
  service.clock.advanceMs(1);
  await spend(3, () => logIn(service));
  assertLimited(await logIn(service), 900);
});

test("§8 auth limit: the operator sets the number of calls and the window", async () => {
  await using service = await startService({
    config: { authCallsPerWindow: 1, authWindowSeconds: 7 },
  });
  await spend(1, () => register(service, EMAIL));

  assertLimited(await register(service, EMAIL), 7);
  service.clock.advanceMs(7000);
  await spend(1, () => register(service, EMAIL));
});

test("§8 auth limit: a client address has 30 times an email's limit, over all emails", async () => {
  await using service = await startService({ config: { authCallsPerWindow: 2 } });
  let emails = 0;
  const next = () => register(service, `${++emails}@example.org`);
  await spend(60, next);

  assertLimited(await next());
  assertLimited(await logIn(service, "never-seen@example.org"));
  service.clock.advanceMs(WINDOW_MS);
  await spend(1, next);
});

test("§8 auth limit: rejected calls for one email count against its client address", async () => {
  await using service = await startService({ config: { authCallsPerWindow: 1 } });
  await spend(1, () => register(service, EMAIL));
  for (let call = 2; call <= 30; call += 1) assertLimited(await register(service, EMAIL));

  assertLimited(await register(service, "other@example.org", PASSWORD));
  assert.deepEqual(service.query("SELECT * FROM accounts"), []);
});

test("§8 auth limit: when the email and the address are over their limits, Retry-After is the longer wait", async () => {
  await using service = await startService({ config: { authCallsPerWindow: 1 } });
  let emails = 0;
  await spend(29, () => register(service, `${++emails}@example.org`));
  service.clock.advanceMs(100_000);
  await spend(1, () => register(service, "late@example.org"));

  assertLimited(await register(service, "late@example.org"), 900);
  assertLimited(await register(service, "1@example.org"), 800);
});

test("§8 auth limit: calls from a client address above its limit write nothing to the store", async () => {
  await using service = await startService({ config: { authCallsPerWindow: 1 } });
  using observer = service.database();
  const writes = () => observer.prepare("PRAGMA data_version").get()?.data_version;
  let emails = 0;
  const next = () => register(service, `${++emails}@example.org`);
  const before = writes();
  await spend(30, next);
  const spent = writes();
  assert.notEqual(spent, before, "a counted call must write");

  for (let call = 0; call < 10; call += 1) assertLimited(await next());
  assertLimited(await register(service, "1@example.org"));

  assert.equal(writes(), spent);
  assert.equal(service.query("SELECT * FROM auth_windows").length, 31);
});

test("§8 auth limit: the counts are stored, so that a restart does not reset them", async () => {
  await using first = await startWithUnreadableHash(3);
  const { dataDirectory } = first;
  await spend(3, () => logIn(first));

  await using second = await startService({ dataDirectory, config: { authCallsPerWindow: 3 } });

  assertLimited(await logIn(second));
});

test("§8 auth limit: two nodes on one store share the counts", async () => {
  await using first = await startWithUnreadableHash(4);
  const { dataDirectory } = first;
  await using second = await startService({ dataDirectory, config: { authCallsPerWindow: 4 } });
  await spend(2, () => logIn(first));
  await spend(2, () => logIn(second));

  assertLimited(await logIn(first));
  assertLimited(await logIn(second));
});

test("§8 auth limit: it does not use up the quota, and its rejections have their own code", async () => {
  await using service = await startService({
    config: { authCallsPerWindow: 2, freePlanUnits: 3 },
  });
  const { session, apiKey } = await service.newCustomer(EMAIL);
  assertLimited(await logIn(service));

  for (let read = 0; read < 3; read += 1) {
    assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
  }
  assertFailure(await service.get("/v1/rates/EUR/USD", { apiKey }), 429, "quota_exceeded");
  assert.equal(await service.usedUnits(session), 3);
});

test("§8 auth limit: reads above the quota do not count", async () => {
  await using service = await startService({
    config: { authCallsPerWindow: 4, freePlanUnits: 0 },
  });
  const { apiKey } = await service.newCustomer(EMAIL);
  for (let read = 0; read < 5; read += 1) await service.get("/v1/rates/EUR/USD", { apiKey });

  assert.equal((await logIn(service)).status, 200);
  assert.equal((await logIn(service)).status, 200);
  assertLimited(await logIn(service));
});

test("§8 auth limit: calls with a session or an API key do not count", async () => {
  await using service = await startService({ config: { authCallsPerWindow: 3 } });
  const session = await service.openSession(EMAIL);
  for (let call = 0; call < 5; call += 1) await service.get("/v1/account/usage", { session });
  await service.post("/v1/auth/logout", { session });

  assert.equal((await logIn(service)).status, 200);
});

test("auth limit: without TRUST_PROXY the server ignores X-Forwarded-For", async () => {
  await using service = await startWithUnreadableHash(2);
  await spend(1, () => logIn(service, EMAIL, { "x-forwarded-for": "203.0.113.1" }));
  await spend(1, () => logIn(service, EMAIL, { "x-forwarded-for": "203.0.113.2" }));

  assertLimited(await logIn(service, EMAIL, { "x-forwarded-for": "203.0.113.3" }));
  assertLimited(await logIn(service, EMAIL, { forwarded: "for=203.0.113.4" }));
  assertLimited(await logIn(service, EMAIL, { "x-real-ip": "203.0.113.5" }));
});

test("auth limit: behind a trusted proxy the server ignores addresses that the client itself added", async () => {
  await using service = await startService({
    config: { authCallsPerWindow: 2, trustedProxies: ["127.0.0.1"] },
  });
  await spend(1, () => register(service, EMAIL, "short", "198.51.100.1, 203.0.113.1"));
  await spend(1, () => register(service, EMAIL, "short", "198.51.100.2, 203.0.113.1"));

  assertLimited(await register(service, EMAIL, "short", "198.51.100.3, 203.0.113.1"));
});

test("auth limit: the server ignores X-Forwarded-For of a proxy that is not trusted", async () => {
  await using service = await startService({
    config: { authCallsPerWindow: 2, trustedProxies: ["192.0.2.1"] },
  });
  await spend(1, () => register(service, EMAIL, "short", "203.0.113.1"));
  await spend(1, () => register(service, EMAIL, "short", "203.0.113.2"));

  assertLimited(await register(service, EMAIL, "short", "203.0.113.3"));
});
