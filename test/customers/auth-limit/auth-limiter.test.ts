import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { beforeEach, test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { type Answer, PASSWORD } from "../../support/client.ts";
import { eventually } from "../../support/mails.ts";
import { startService, startSharedService, type TestService } from "../../support/service.ts";

const LOGIN = "/v1/auth/login";
const REGISTER = "/v1/auth/register";
const RESEND = "/v1/auth/verification/resend";
const RESET = "/v1/auth/password-reset";
const CONFIRM = "/v1/auth/password-reset/confirm";
const EMAIL = "ada@example.org";
const WINDOW_MS = 900_000;

/** The calls per window, and of an address over all emails. */
const [LIMIT, CEILING] = [2, 60];

const service = await startSharedService({ config: { authCallsPerWindow: LIMIT } });
beforeEach(() => void service.query("DELETE FROM auth_windows"));

/**
 * Adds an account whose stored password hash is unreadable, so that a log-in that reaches the
 * password check returns 500: every other response was sent before any hashing.
 */
const addUnreadable = (own: TestService, email: string) =>
  own.query(
    `INSERT INTO accounts (id, email, password_hash, plan, created_at)
     VALUES (?, ?, 'unreadable', 'free', '2026-11-21T00:00:00.000Z')`,
    email,
    email,
  );

addUnreadable(service, EMAIL);

const logIn = (email = EMAIL, headers: Record<string, string> = {}, own = service) =>
  own.post(LOGIN, { json: { email, password: PASSWORD }, headers });

const register = (email: string, password = "short", own = service) =>
  own.post(REGISTER, { json: { email, password } });

async function spend(calls: number, call: () => Promise<Answer>) {
  for (let index = 0; index < calls; index += 1) assert.notEqual((await call()).status, 429);
}

function assertLimited(answer: Answer, retryAfterSeconds = 900) {
  assertFailure(answer, 429, "too_many_requests");
  assert.equal(answer.headers["retry-after"], String(retryAfterSeconds));
  const wait = retryAfterSeconds < 120 ? / [1-9]\d* seconds? / : / [1-9]\d* minutes /;
  assert.match(String(answer.body.message), wait);
}

let names = 0;
const newEmail = () => `${++names}@example.org`;

const doors = [
  (email: string) => register(email),
  (email: string) => logIn(email),
  (email: string) => service.post(RESEND, { json: { email } }),
  (email: string) => service.post(RESET, { json: { email } }),
] as const;

test("§8 auth limit: the window is fixed; the message of a 429 says how long to wait, as Retry-After does", async () => {
  await spend(LIMIT, () => logIn());
  const message = async () => (await logIn()).body.message;
  assert.equal(await message(), "Too many attempts. Please wait 15 minutes and try again.");
  service.clock.advanceMs(780_000);
  assert.equal(await message(), "Too many attempts. Please wait 2 minutes and try again.");
  service.clock.advanceMs(1000);
  assert.equal(await message(), "Too many attempts. Please wait 119 seconds and try again.");
  service.clock.advanceMs(118_000);
  assert.equal(await message(), "Too many attempts. Please wait 1 second and try again.");
  service.clock.advanceMs(999);
  assertLimited(await logIn(), 1);
  service.clock.advanceMs(1);
  await spend(LIMIT, () => logIn());
});

test("§8 auth limit: the 21st call within 15 minutes returns 429 before any password is hashed", async () => {
  await using own = await startService();
  addUnreadable(own, EMAIL);
  for (let call = 1; call <= 20; call += 1) {
    assert.equal((await logIn(EMAIL, {}, own)).status, 500);
  }

  assertLimited(await logIn(EMAIL, {}, own));
});

test("§8 auth limit: a registration above the limit creates no account, a log-in no session", async () => {
  const [none, known] = [newEmail(), newEmail()];
  await spend(LIMIT, () => register(none));
  assert.equal((await register(known, PASSWORD)).status, 201);
  assert.equal((await logIn(known)).status, 200);
  const stored = () =>
    ["accounts", "sessions"].map((name) => service.query(`SELECT * FROM ${name}`));
  const before = stored();

  for (const password of [PASSWORD, "short"]) assertLimited(await register(none, password));
  assertLimited(await logIn(known));

  assert.deepEqual(stored(), before);
});

for (const [first, second] of [
  [0, 1],
  [2, 3],
] as const) {
  test(`§8 auth limit: doors ${first} and ${second} use up one limit of all four, for an unknown email too`, async () => {
    for (const email of [EMAIL, newEmail()]) {
      await spend(1, () => doors[first](email));
      await spend(1, () => doors[second](email));
      const before = service.query("SELECT token_hash FROM mail_tokens");

      for (const door of doors) assertLimited(await door(email));
      assert.deepEqual(service.query("SELECT token_hash FROM mail_tokens"), before);
    }
  });
}

test("§8 auth limit: confirming a verification does not count", async () => {
  const json = { token: "3f".repeat(32) };
  const confirm = () => service.post("/v1/auth/verification", { json });

  for (let call = 0; call <= CEILING; call += 1) {
    assertFailure(await confirm(), 400, "invalid_token");
  }

  assert.deepEqual(service.query("SELECT * FROM auth_windows"), []);
  await spend(LIMIT, () => logIn());
  assertLimited(await logIn());
  assertFailure(await confirm(), 400, "invalid_token");
});

test("§8 auth limit: confirming a reset counts only against the client address, before any hashing", async () => {
  const token = "3f".repeat(32);
  const valid = `INSERT INTO mail_tokens (token_hash, account_id, purpose, expires_at)
    VALUES (?, ?, 'password_reset', '2027-01-01T00:00:00.000Z')`;
  service.query(valid, hash("sha256", token), EMAIL);
  const confirm = (text: string) =>
    service.post(CONFIRM, { json: { token: text, password: PASSWORD } });

  await spend(CEILING - LIMIT, () => confirm("3e".repeat(32)));
  // Nothing has counted against this email, so its log-ins still reach the password check.
  for (let call = 0; call < LIMIT; call += 1) assert.equal((await logIn()).status, 500);

  assertLimited(await confirm(token));
  assertLimited(await logIn("other@example.org"));
  const [account] = service.query("SELECT password_hash FROM accounts WHERE email = ?", EMAIL);
  assert.equal(account?.password_hash, "unreadable");
  const found = "SELECT 1 FROM mail_tokens WHERE token_hash = ?";
  assert.equal(service.query(found, hash("sha256", token)).length, 1);
});

test("§8 auth limit: of concurrent calls it admits exactly its number, also of another email", async () => {
  for (const email of [EMAIL, newEmail()]) {
    const answers = await Promise.all(Array.from({ length: 12 }, () => logIn(email)));

    const limited = answers.filter(({ status }) => status === 429);
    assert.equal(limited.length, 12 - LIMIT);
    for (const answer of limited) assertLimited(answer);
  }
});

test("§8 auth limit: an email in other case or with white space counts as the same email", async () => {
  await logIn("ADA@EXAMPLE.ORG");
  await logIn(" Ada@Example.Org ");

  for (const email of [EMAIL, "aDA@example.org\n"]) assertLimited(await logIn(email));
});

test("§8 auth limit: the operator sets the number of calls and the window", async () => {
  await using own = await startService({ config: { authCallsPerWindow: 1, authWindowSeconds: 7 } });
  await spend(1, () => register(EMAIL, "short", own));

  assertLimited(await register(EMAIL, "short", own), 7);
  own.clock.advanceMs(7000);
  await spend(1, () => register(EMAIL, "short", own));
});

test("§8 auth limit: a client address has 30 times an email's limit, over all emails, and writes no more above it", async () => {
  using observer = service.database();
  const writes = () => observer.prepare("PRAGMA data_version").get()?.data_version;
  const next = () => register(newEmail());
  const before = writes();
  await spend(CEILING, next);
  // The delivery of mails writes, too: of these calls, and of earlier tests.
  const due = "SELECT id FROM mails WHERE next_attempt_at IS NOT NULL";
  await eventually("delivery", () => service.query(due).length === 0 || undefined);
  const spent = writes();
  assert.notEqual(spent, before, "a counted call must write");

  for (let call = 0; call < 10; call += 1) assertLimited(await next());
  assertLimited(await logIn("never-seen@example.org"));

  assert.equal(writes(), spent);
  assert.equal(service.query("SELECT * FROM auth_windows").length, CEILING + 1);
  service.clock.advanceMs(WINDOW_MS);
  await spend(1, next);
});

test("§8 auth limit: rejected calls for one email count against its client address", async () => {
  const email = newEmail();
  await spend(LIMIT, () => register(email));
  for (let call = LIMIT; call < CEILING; call += 1) assertLimited(await register(email));

  assertLimited(await register("other@example.org", PASSWORD));
});

test("§8 auth limit: when the email and the address are over their limits, Retry-After is the longer wait", async () => {
  const [first, late] = [newEmail(), newEmail()];
  await spend(LIMIT, () => register(first));
  await spend(CEILING - 2 * LIMIT, () => register(newEmail()));
  service.clock.advanceMs(100_000);
  await spend(LIMIT, () => register(late));

  assertLimited(await register(late), 900);
  assertLimited(await register(first), 800);
});

test("auth limit: each kind of change of an account has the limit by itself, all together 30 times as much, and log-ins have theirs", async () => {
  await using own = await startService({ config: { authCallsPerWindow: 3 } });
  const { email, session, keyId } = await own.newCustomer();
  const limits = { expires_at: null, units_per_period: null };
  const changes = [
    ["PATCH", "/v1/account/settings", (state: number) => ({ quota_mails: state % 2 === 0 })],
    ["PUT", "/v1/account/thresholds", (units: number) => ({ thresholds: [{ units }] })],
    ["GET", "/v1/account/export", () => undefined],
    ["PUT", "", (units: number) => ({ ...limits, units_per_day: units })],
  ] as const;
  const change = (index: number, value: number, id = keyId) => {
    const [method, path, json] = changes[index] ?? changes[0];
    const how = { session, json: json(value) };
    return own.call(method, path || `/v1/account/api-keys/${id}/limits`, how);
  };
  const stored = () =>
    ["accounts", "api_keys", "events"].map((table) => own.query(`SELECT * FROM ${table}`));

  for (const index of changes.keys()) {
    for (const value of [1, 2, 3]) assert.equal((await change(index, value)).status, 200);
    const before = stored();
    assertLimited(await change(index, 4));
    assert.deepEqual(stored(), before);
  }
  const keys = await Promise.all(Array.from({ length: 27 }, () => own.createKey(session)));
  const statuses: number[] = [];
  for (const { id } of keys) {
    for (const value of [1, 2, 3]) statuses.push((await change(3, value, id)).status);
  }
  // Twelve calls came before: an export is no change.
  assert.deepEqual(statuses, [...new Array(78).fill(200), ...new Array(3).fill(429)]);
  assert.equal((await logIn(email, {}, own)).status, 200);
});
