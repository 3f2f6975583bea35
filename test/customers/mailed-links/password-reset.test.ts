import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasswords } from "../../../src/customers/passwords/hashing/argon2.ts";
import {
  assertCommonHeaders,
  assertFailure,
  assertSessionRejected,
} from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { eventually, mailsIn, mailTo, tokenOf } from "../../support/mails.ts";
import { startService, startSharedService, type TestService } from "../../support/service.ts";

const REQUEST = "/v1/auth/password-reset";
const CONFIRM = "/v1/auth/password-reset/confirm";
const OLD = "correct horse battery";
const NEW = "quite another passphrase";

const service = await startSharedService();

const confirm = (token: unknown, password: unknown = NEW, own: TestService = service) =>
  own.post(CONFIRM, { json: { token, password } });

const logIn = (email: string, password: string) =>
  service.post("/v1/auth/login", { json: { email, password } });

/** Opens accounts with a session each, requests a reset for each and waits for its mail. */
async function startResets(own: TestService, emails: readonly string[]) {
  const sessions: string[] = [];
  for (const email of emails) {
    sessions.push(await own.openSession(email));
    assert.equal((await own.post(REQUEST, { json: { email } })).status, 202);
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

const [whole, weak] = await startResets(service, ["whole@example.org", "weak@example.org"]);
assert.ok(whole !== undefined && weak !== undefined);

/** Every row that a reset changes, without the columns that mail delivery changes. */
const stored = () => [
  service.query("SELECT * FROM accounts ORDER BY id"),
  service.query("SELECT * FROM mail_tokens ORDER BY token_hash"),
  service.query("SELECT * FROM sessions ORDER BY token_hash"),
  service.query("SELECT id, account_id, kind, created_at FROM mails ORDER BY id"),
];

function assertReset(answer: Answer): void {
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assertCommonHeaders(answer);
}

const assertWrongPassword = (answer: Answer) =>
  assertFailure(answer, 401, "unauthorized", "Email or password is incorrect.");

const usageOf = (session: string) => service.get("/v1/account/usage", { session });

test("reset: the new password works, the old one does not, every session has ended, and a mail tells", async () => {
  const { email, session, token } = whole;
  const second = String((await logIn(email, OLD)).body.session_token);

  assertReset(await confirm(token));

  for (const ended of [session, second]) assertSessionRejected(await usageOf(ended));
  assertWrongPassword(await logIn(email, OLD));
  assert.equal((await logIn(email, NEW)).status, 200);
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

test("reset: an invalid password returns 400 with the violated rule and leaves the token valid", async () => {
  const { email, token } = weak;
  const before = stored();
  const bad = [
    ["x9x8x7x", /\bpassword\b.*\b8\b.*\b256\b/],
    ["password1", /\bpassword\b.*common/],
    [email, /\bpassword\b.*email/],
  ] as const;

  for (const [password, message] of bad) {
    assertFailure(await confirm(token, password), 400, "invalid_request", message);
  }

  assert.deepEqual(stored(), before);
  assertReset(await confirm(token));
});

test("reset: of concurrent confirmations with one token only one password is hashed", async () => {
  let [inFlight, most, hashed] = [0, 0, 0];
  const passwords = createPasswords();
  const hash = async (password: string) => {
    hashed += 1;
    inFlight += 1;
    most = Math.max(most, inFlight);
    const stored = await passwords.hash(password);
    inFlight -= 1;
    return stored;
  };
  await using own = await startService({ passwords: { ...passwords, hash } });
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
  const passwords = createPasswords();
  const hashes: PromiseWithResolvers<string>[] = [];
  let isHeld = false;
  const hash = (password: string) => {
    if (!isHeld) return passwords.hash(password);
    const pending = Promise.withResolvers<string>();
    hashes.push(pending);
    return pending.promise;
  };
  await using own = await startService({ passwords: { ...passwords, hash } });
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
  hashed.resolve(await passwords.hash(NEW));

  assertReset(await second.answer);
  assertFailure(await third.answer, 400, "invalid_token");
  assert.equal(hashes.length, 2);
});
