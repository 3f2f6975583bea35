import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { createSecrets } from "../../src/crypto/secrets.ts";
import {
  assertCommonHeaders,
  assertFailure,
  assertKeyRejected,
  assertSessionRejected,
} from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";
import { eventually, mailsIn, mailTo, tokenOf } from "../support/mails.ts";
import { startService, startSharedService, type TestService } from "../support/service.ts";

const REQUEST = "/v1/auth/password-reset";
const CONFIRM = "/v1/auth/password-reset/confirm";
const KEYS = "/v1/account/api-keys";
const OLD = "correct horse battery";
const NEW = "quite another passphrase";
const HOUR_MS = 3_600_000;

const service = await startSharedService();

const requestReset = (email: unknown, own: TestService = service) =>
  own.post(REQUEST, { json: { email } });

const confirm = (token: unknown, password: unknown = NEW, own: TestService = service) =>
  own.post(CONFIRM, { json: { token, password } });

const logIn = (email: string, password: string) =>
  service.post("/v1/auth/login", { json: { email, password } });

/** Opens accounts with a session each, requests a reset for each and waits for its mail. */
async function startResets(own: TestService, emails: readonly string[]) {
  const sessions: string[] = [];
  for (const email of emails) {
    sessions.push(await own.openSession(email));
    assert.equal((await requestReset(email, own)).status, 202);
  }
  const tokens = emails.map(async (email) =>
    tokenOf(await mailTo(own.dataDirectory, email, "reset")),
  );
  return (await Promise.all(tokens)).map((token, index) => ({
    email: emails[index] ?? "",
    session: sessions[index] ?? "",
    token,
  }));
}

const names = "whole keys notice weak malformed hijacked".split(" ");
const racers = Array.from({ length: 6 }, (_, index) => `racer-${index}`);
const emails = [...names, ...racers].map((name) => `${name}@example.org`);
const resets = await startResets(service, emails);

function account(name: string) {
  const found = resets.find(({ email }) => email.startsWith(`${name}@`));
  assert.ok(found !== undefined);
  return found;
}

/** Every row that a reset changes, without the columns that mail delivery changes. */
const stored = () => [
  service.query("SELECT * FROM accounts ORDER BY id"),
  service.query("SELECT * FROM mail_tokens ORDER BY token_hash"),
  service.query("SELECT * FROM sessions ORDER BY token_hash"),
  service.query("SELECT id, account_id, kind, created_at FROM mails ORDER BY id"),
];

const verifiedAt = (email: string) =>
  service.query("SELECT email_verified_at FROM accounts WHERE email = ?", email)[0]
    ?.email_verified_at;

function assertReset(answer: Answer): void {
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assertCommonHeaders(answer);
}

const assertWrongPassword = (answer: Answer) =>
  assertFailure(answer, 401, "unauthorized", "Email or password is incorrect.");

const withoutIds = ({ status, headers, text }: Answer) => {
  const { "x-request-id": _id, date: _date, ...others } = headers;
  return { status, others, text };
};

const usageOf = (session: string) => service.get("/v1/account/usage", { session });

test("reset: the new password works, the old one does not, and every session has ended", async () => {
  const { email, session, token } = account("whole");
  const second = String((await logIn(email, OLD)).body.session_token);
  const mails = await mailsIn(service.dataDirectory);
  const link = `\n${service.url}/reset#token=${token}\n`;
  assert.equal(mails.filter(({ text }) => text?.includes(link)).length, 1);

  assertReset(await confirm(token));

  for (const ended of [session, second]) assertSessionRejected(await usageOf(ended));
  assertWrongPassword(await logIn(email, OLD));
  assert.equal((await logIn(email, NEW)).status, 200);
  assert.equal(verifiedAt(email), "2026-11-21T12:00:00.000Z");
});

test("reset: a reset opens no session and does not change other accounts", async () => {
  const { email, token } = account("keys");
  const others = () => [
    service.query("SELECT * FROM accounts WHERE email <> ? ORDER BY id", email),
    service.query(
      "SELECT s.* FROM sessions s JOIN accounts a ON a.id = account_id AND email <> ?",
      email,
    ),
  ];
  const session = String((await logIn(email, OLD)).body.session_token);
  const { apiKey } = await service.createKey(session);
  const verification = tokenOf(await mailTo(service.dataDirectory, email, "verify"));
  const json = { token: verification };
  assert.equal((await service.post("/v1/auth/verification", { json })).status, 204);
  const before = others();

  assertReset(await confirm(token));

  assert.deepEqual(others(), before);
  const sessions = "SELECT 1 FROM sessions JOIN accounts a ON a.id = account_id AND email = ?";
  assert.deepEqual(service.query(sessions, email), []);
  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
  const renewed = String((await logIn(email, NEW)).body.session_token);
  assert.equal(await service.usedUnits(renewed), 1);
});

test("reset: a reset that verifies the email for the first time revokes older keys and sessions", async () => {
  const { email, session, token } = account("hijacked");
  const { id, apiKey } = await service.createKey(session);
  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);

  assertReset(await confirm(token));

  assertKeyRejected(await service.get("/v1/rates/EUR/USD", { apiKey }));
  assertSessionRejected(await usageOf(session));
  assertSessionRejected(await service.post(KEYS, { session, json: { name: "again" } }));
  const renewed = String((await logIn(email, NEW)).body.session_token);
  assert.equal(await service.usedUnits(renewed), 1);
  const { body } = await service.get(KEYS, { session: renewed });
  const [item, ...more] = body.api_keys as Readonly<Record<string, unknown>>[];
  assert.deepEqual([item?.id, item?.revoked_at, more], [id, "2026-11-21T12:00:00.000Z", []]);
});

test("reset: a mail without link, token or password reports the reset", async () => {
  const { email, token } = account("notice");

  assertReset(await confirm(token));

  const notice = await eventually("notice", async () => {
    const mails = await mailsIn(service.dataDirectory);
    return mails.find(
      ({ to, subject }) => to?.[0]?.address === email && /password.*changed/.test(subject ?? ""),
    );
  });
  for (const form of [notice.text ?? "", notice.html ?? ""]) {
    assert.match(form, /API keys/);
    assert.doesNotMatch(form, /https?:|href|#token|[0-9a-f]{64}/);
    assert.ok(!form.includes(NEW));
  }
});

test("reset: a token expires exactly one hour after its mail was created", async () => {
  await using own = await startService();
  const [inTime, late] = await startResets(own, ["ada@example.org", "late@example.org"]);

  own.clock.advanceMs(HOUR_MS - 1);
  assertReset(await confirm(inTime?.token, NEW, own));
  own.clock.advanceMs(1);
  assertFailure(await confirm(late?.token, NEW, own), 400, "invalid_token");

  const json = { email: "late@example.org", password: OLD };
  assert.equal((await own.post("/v1/auth/login", { json })).status, 200);
  assert.equal((await own.get("/v1/account/usage", { session: late?.session ?? "" })).status, 200);
});

const lengthRule = /\bpassword\b.*\b8\b.*\b256\b/;

test("reset: an invalid password returns 400 with the violated rule and leaves the token valid", async () => {
  const { email, token } = account("weak");
  const before = stored();
  const bad = [
    ["x9x8x7x", lengthRule],
    ["k".repeat(257), lengthRule],
    ["password1", /\bpassword\b.*common/],
    [email, /\bpassword\b.*email/],
    [email.toUpperCase(), /\bpassword\b.*email/],
    [12345678, /\bpassword\b.*string/],
    [null, /\bpassword\b.*string/],
    [[NEW], /\bpassword\b.*string/],
    [undefined, /\bpassword\b.*missing/],
  ] as const;

  for (const [password, message] of bad) {
    assertFailure(
      await service.post(CONFIRM, { json: { token, password } }),
      400,
      "invalid_request",
      message,
    );
  }

  assert.deepEqual(stored(), before);
  assertReset(await confirm(token));
});

test("reset: of concurrent confirmations with one token only one password is hashed", async () => {
  let [inFlight, most, hashed] = [0, 0, 0];
  const secrets = createSecrets();
  const hashPassword = async (password: string) => {
    hashed += 1;
    inFlight += 1;
    most = Math.max(most, inFlight);
    const stored = await secrets.hashPassword(password);
    inFlight -= 1;
    return stored;
  };
  await using own = await startService({ secrets: { ...secrets, hashPassword } });
  const [reset] = await startResets(own, ["ada@example.org"]);
  [most, hashed] = [0, 0];

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      confirm(reset?.token, index === 0 ? "short" : `passphrase number ${index}`, own),
    ),
  );

  assert.deepEqual([most, hashed], [1, 1]);
  assert.equal(answers.filter(({ status }) => status === 204).length, 1);
  assert.equal(answers.filter(({ status }) => status === 400).length, 19);
});

test("reset: a confirmation that comes after a failed one waits for the one that is hashed", async () => {
  const secrets = createSecrets();
  const hashes: PromiseWithResolvers<string>[] = [];
  let isHeld = false;
  const hashPassword = (password: string) => {
    if (!isHeld) return secrets.hashPassword(password);
    const pending = Promise.withResolvers<string>();
    hashes.push(pending);
    return pending.promise;
  };
  await using own = await startService({ secrets: { ...secrets, hashPassword } });
  const [reset] = await startResets(own, ["ada@example.org"]);
  isHeld = true;
  const attempts = () =>
    Number(own.query("SELECT max(calls) AS calls FROM auth_windows")[0]?.calls);
  /** Confirms, and waits until the confirmation was counted: then it waits its turn. */
  const begin = async () => {
    const before = attempts();
    const answer = confirm(reset?.token, NEW, own);
    await eventually("the attempt", async () => attempts() > before || undefined);
    return { answer };
  };
  const hashOf = (index: number) => eventually("a hash", async () => hashes[index]);

  const failed = await begin();
  const first = await hashOf(0);
  const second = await begin();
  first.reject(new Error("the thread has ended"));
  assertFailure(await failed.answer, 500, "internal_error");
  const hashed = await hashOf(1);
  const third = await begin();
  hashed.resolve(await secrets.hashPassword(NEW));

  assertReset(await second.answer);
  assertFailure(await third.answer, 400, "invalid_token");
  assert.equal(hashes.length, 2);
});

test("reset: a concurrent log-in with the old password leaves no valid session", async () => {
  let opened = 0;
  for (const { email, token } of racers.map(account)) {
    const before = [1, 2, 3].map(() => logIn(email, OLD));
    const confirmed = confirm(token);
    const concurrent = [1, 2, 3].map(() => logIn(email, OLD));
    assertReset(await confirmed);

    for (const answer of await Promise.all([...before, ...concurrent])) {
      if (answer.status === 401) continue;
      assert.equal(answer.status, 200, answer.text);
      opened += 1;
      assertSessionRejected(await usageOf(String(answer.body.session_token)));
    }
    assertWrongPassword(await logIn(email, OLD));
    assert.equal((await logIn(email, NEW)).status, 200);
  }
  assert.ok(opened > 0, "no log-in finished before its reset, so nothing raced");
});

test("reset: for an unknown email the server returns the usual 202 and writes nothing", async () => {
  const before = stored();

  const unknown = await requestReset("nobody@example.org");

  assert.deepEqual(stored(), before);
  assert.deepEqual([unknown.status, unknown.text], [202, "{}"]);
  assertCommonHeaders(unknown);
  const known = await requestReset(account("keys").email);
  assert.deepEqual(withoutIds(known), withoutIds(unknown));
  await mailTo(service.dataDirectory, account("keys").email, "reset", 2);
  const mails = await mailsIn(service.dataDirectory);
  assert.ok(!mails.some(({ to }) => to?.[0]?.address === "nobody@example.org"));
});

test("reset: an invalid token returns 400 with any password and changes nothing", async () => {
  const { email, session, token } = account("malformed");
  const { apiKey } = await service.createKey(session);
  const verification = tokenOf(await mailTo(service.dataDirectory, email, "verify"));
  const before = stored();

  const texts = ["", "3f".repeat(31), "3f".repeat(32), "3".repeat(10_000), ` ${token}`];
  texts.push(token.toUpperCase(), `${token}\n`, `#token=${token}`, hash("sha256", token));
  texts.push(session, session.slice(9), apiKey, apiKey.slice(9), verification);
  for (const text of texts) {
    assertFailure(await confirm(text), 400, "invalid_token");
    assertFailure(await confirm(text, "short"), 400, "invalid_token");
  }

  assert.deepEqual(stored(), before);
  assertReset(await confirm(token));
});

const unfit = [
  ["a request without an email", REQUEST, {}, /\bemail\b.*missing/],
  ["a request with an email in an array", REQUEST, { email: ["a@example.org"] }, /\bemail\b/],
  ["a request with an email without an at sign", REQUEST, { email: "ada" }, /\bemail\b/],
  ["a confirmation without a token", CONFIRM, { password: NEW }, /\btoken\b.*missing/],
  ["a token that is null", CONFIRM, { token: null, password: NEW }, /\btoken\b.*string/],
  ["a token that is a number", CONFIRM, { token: 5, password: NEW }, /\btoken\b.*string/],
] as const;

for (const [what, path, json, message] of unfit) {
  test(`reset: ${what} returns 400 with the violated rule and changes nothing`, async () => {
    const before = stored();

    assertFailure(await service.post(path, { json }), 400, "invalid_request", message);

    assert.deepEqual(stored(), before);
  });
}
