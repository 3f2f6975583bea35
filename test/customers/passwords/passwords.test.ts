import assert from "node:assert/strict";
import { test } from "node:test";
import { marks } from "../../../harness/long-texts.ts";
import { createPasswords } from "../../../src/customers/passwords/hashing/argon2.ts";
import type { Passwords } from "../../../src/customers/passwords/passwords.ts";
import { normalizePassword, passwordProblem } from "../../../src/customers/passwords/rules.ts";
import { assertFailure } from "../../support/assertions.ts";
import { mailTo, tokenOf } from "../../support/mails.ts";
import { anyCharacter, fc } from "../../support/properties.ts";
import { startSharedService } from "../../support/service.ts";

const passwords = createPasswords();
let checks = 0;
const verify: Passwords["verify"] = (stored, password) => {
  checks += 1;
  return passwords.verify(stored, password);
};
const service = await startSharedService({ passwords: { ...passwords, verify } });

const accountCount = () => service.query("SELECT count(*) AS accounts FROM accounts")[0]?.accounts;

const storedHash = (email: string) =>
  String(
    service.query("SELECT password_hash FROM accounts WHERE email = ?", email)[0]?.password_hash,
  );

let accounts = 0;
const newEmail = () => `password-${++accounts}@example.org`;

const register = (password: string, email = newEmail()) =>
  service.post("/v1/auth/register", { json: { email, password } });

const logIn = (email: string, password: string) =>
  service.post("/v1/auth/login", { json: { email, password } });

const good = [
  ["of 8 characters", "x9x8x7x6"],
  ["of 256 characters", "k".repeat(256)],
  ["of 8 characters outside the basic plane", "😀🚀🎈🍀🐙🌋🧊🪁"],
  ["of 256 characters outside the basic plane", "🪁".repeat(256)],
  ["of white space around and inside", "  x  y  z  "],
  ["with a zero byte and control characters", "x\u0000y\u0001z\u0002w\u0003"],
  ["of 8 characters after NFKC, of 16 before it", "e\u0301".repeat(4) + "o\u0302".repeat(4)],
  ["of 256 characters after NFKC, of 1,024 before it", "\u03b1\u0313\u0300\u0345".repeat(256)],
] as const;

for (const [what, password] of good) {
  test(`passwords: a password ${what} is accepted, and only exactly that password logs in`, async () => {
    const email = newEmail();

    assert.equal((await register(password, email)).status, 201);

    assert.equal((await logIn(email, password)).status, 200);
    assertFailure(await logIn(email, `${password}!`), 401, "unauthorized");
    assertFailure(await logIn(email, password.slice(0, -1)), 401, "unauthorized");
  });
}

const lengthRule = /\bpassword\b.*\b8\b.*\b256\b/;
const commonRule = /\bpassword\b.*common/;

const bad = [
  // NFKC makes 7 letters of the last but two, and 258 of the 86 ligatures.
  [
    lengthRule,
    "x9x8x7x",
    "😀🚀🎈🍀🐙🌋🧊",
    "k".repeat(257),
    "e\u0301".repeat(7),
    "\ufb03".repeat(86),
    "",
  ],
  [commonRule, "password1", "PASSWORD1", "ｐａｓｓｗｏｒｄ１", "1qaz2wsx"],
] as const;

test("passwords: one that is too short, too long or common is 400 with the violated rule and creates no account", async () => {
  const before = accountCount();
  for (const [message, ...texts] of bad) {
    for (const password of texts) {
      const answer = await register(password);
      assertFailure(answer, 400, "invalid_request", message);
      if (password !== "") assert.ok(!answer.text.includes(password));
    }
  }
  assert.equal(accountCount(), before);
});

test("passwords: the server rejects the account's email as a password, in any case", async () => {
  const before = accountCount();

  for (const [email, password] of [
    ["lovelace@example.org", "lovelace@example.org"],
    ["lovelace@example.org", "Lovelace@Example.ORG"],
    [" LOVELACE@example.org ", "lovelace@example.org"],
  ] as const) {
    assertFailure(await register(password, email), 400, "invalid_request", /password.*email/);
  }
  assert.equal(accountCount(), before);
});

test("passwords: composed and decomposed characters are the same password (NFKC)", async () => {
  const email = newEmail();
  await register("Zürich-Straße-Å", email);

  assert.equal((await logIn(email, "Zu\u0308rich-Straße-A\u030a")).status, 200);
  assert.equal((await logIn(email, "Zürich-Straße-\u212b")).status, 200);
  assertFailure(await logIn(email, "zürich-straße-å"), 401, "unauthorized");
  assertFailure(await logIn(email, "Zurich-Straße-A"), 401, "unauthorized");
});

/** The hash of "an old password" as an older release with weaker parameters would have stored it. */
const WEAK =
  "$argon2id$v=19$m=4096,t=1,p=1$BwcHBwcHBwcHBwcHBwcHBw$" +
  "WU0NYCac+M4FoOdx0RdAKT8dM3nQvnYjC9p/M4l0CSg";

test("passwords: a log-in renews a stored hash that has weaker parameters", async () => {
  const email = newEmail();
  await register("soon replaced", email);
  service.query("UPDATE accounts SET password_hash = ? WHERE email = ?", WEAK, email);

  assertFailure(await logIn(email, "not the old password"), 401, "unauthorized");
  assert.equal(storedHash(email), WEAK);
  assert.equal((await logIn(email, "an old password")).status, 200);

  const renewed = storedHash(email);
  assert.match(renewed, /^\$argon2id\$v=19\$m=(19[4-9]\d\d|[2-9]\d{4}|\d{6,}),t=[2-9]\d*,p=\d+\$/);
  assert.equal((await logIn(email, "an old password")).status, 200);
  assert.equal(storedHash(email), renewed);
  assertFailure(await logIn(email, "not the old password"), 401, "unauthorized");
});

test("passwords: more than 1,024 units are never normalized: wrong at a log-in, too long elsewhere", async (t) => {
  const email = newEmail();
  const session = await service.openSession(email);
  await service.post("/v1/auth/password-reset", { json: { email } });
  const token = tokenOf(await mailTo(service.dataDirectory, email, "reset"));
  const [accounts, stored] = [accountCount(), storedHash(email)];
  const reset = (password: string) =>
    service.post("/v1/auth/password-reset/confirm", { json: { token, password } });
  const normalize = t.mock.method(String.prototype, "normalize");

  for (const password of [marks(7_900), "k".repeat(1_025), marks(1_024)]) {
    checks = 0;
    const wrong = await logIn(email, password);
    assertFailure(wrong, 401, "unauthorized", /^Email or password is incorrect\.$/);
    const json = { password };
    const kept = await service.call("DELETE", "/v1/account", { session, json });
    assertFailure(kept, 401, "unauthorized", /^The password is incorrect\.$/);
    assert.equal(checks, 2);
    assertFailure(await register(password), 400, "invalid_request", lengthRule);
    assertFailure(await reset(password), 400, "invalid_request", lengthRule);
  }

  const lengths = normalize.mock.calls.map(({ this: text }) => String(text).length);
  assert.ok(Math.max(...lengths) <= 1_024, `${Math.max(...lengths)} units`);
  assert.deepEqual([accountCount(), storedHash(email)], [accounts, stored]);
  assert.equal((await reset("a fine passphrase")).status, 204);
});

const problem = (password: string) => passwordProblem(password, "ada@example.org", () => false);

test("a password may contain any character, including white space and control characters", () => {
  const password = fc.string({ unit: anyCharacter, minLength: 8, maxLength: 256 });
  fc.assert(
    fc.property(password, (text) => {
      fc.pre([...text].length >= 8 && [...text].length <= 256);
      assert.equal(problem(text), undefined);
    }),
  );
});

test("half of a surrogate pair is no character: each would be hashed like every other one", () => {
  const reason = "password must not have half of a surrogate pair.";
  assert.equal(problem("correct \ud83d horse"), reason);
  assert.equal(problem("correct \ude00 horse"), reason);
});

test("normalizing a password twice changes nothing more, and case and white space are kept", () => {
  assert.equal(normalizePassword(" Correct  Horse "), " Correct  Horse ");
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const normal = normalizePassword(text);
      assert.equal(normalizePassword(normal), normal);
      assert.equal(normal, text.normalize("NFKC"));
    }),
  );
});
