import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCommonHeaders, assertFailure, uuidV7 } from "../../support/assertions.ts";
import { startSharedService } from "../../support/service.ts";

const REGISTER = "/v1/auth/register";
const PASSWORD = "correct horse battery";

const service = await startSharedService();

const accountCount = () => service.query("SELECT count(*) AS accounts FROM accounts")[0]?.accounts;

const register = (email: string, password = PASSWORD) =>
  service.post(REGISTER, { json: { email, password } });

test("register: a new account is 201 with id, email, created_at and email_verified; it is on the free plan, without a key or a session", async () => {
  const answer = await register("ada@example.org");

  assert.equal(answer.status, 201);
  const { id, ...rest } = answer.body;
  assert.match(String(id), uuidV7);
  assert.deepEqual(rest, {
    email: "ada@example.org",
    created_at: "2026-11-21T12:00:00.000Z",
    email_verified: false,
  });
  assertCommonHeaders(answer);
  const stored = `SELECT plan, (SELECT count(*) FROM sessions s WHERE s.account_id = a.id) AS sessions,
    (SELECT count(*) FROM api_keys k WHERE k.account_id = a.id) AS keys FROM accounts a WHERE id = ?`;
  assert.deepEqual(Object.values(service.query(stored, String(id))[0] ?? {}), ["free", 0, 0]);
});

test("register: a registered email returns 409 and does not change the existing account", async () => {
  await register("taken@example.org");
  const before = service.query("SELECT * FROM accounts WHERE email = 'taken@example.org'");

  const answer = await register("taken@example.org", "another long password");

  assertFailure(answer, 409, "email_taken");
  const stored = service.query("SELECT * FROM accounts WHERE email = 'taken@example.org'");
  assert.deepEqual(stored, before);
});

test("register: an email is trimmed and lower-cased before it is compared and returned", async () => {
  const answer = await register(" \tGrace@Example.ORG\n");

  assert.deepEqual([answer.status, answer.body.email], [201, "grace@example.org"]);
  for (const same of ["grace@example.org", "GRACE@EXAMPLE.ORG", " grace@example.org"]) {
    assertFailure(await register(same), 409, "email_taken");
  }
});

const longEmail = (length: number) => {
  const domain = `${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(50)}.org`;
  return `${"a".repeat(length - domain.length - 1)}@${domain}`;
};

test("register: an email of 254 characters is accepted, not counting white space around it", async () => {
  const email = longEmail(246);
  const longest = `${email.slice(0, -4)}${"e".repeat(8)}.org`;
  assert.equal(longest.length, 254);

  const answer = await register(`  ${longest}  `);

  assert.deepEqual([answer.status, answer.body.email], [201, longest]);
});

const badEmails = [
  ...[
    "ada.example.org",
    "@example.org",
    "ada@",
    "ada@home@example.org",
    "ada lovelace@example.org",
  ],
  ...["ada..l@example.org", "Ada <ada@example.org>", "ada@example.org\r\nBcc: eve@example.org"],
  ...["ada\u0000@example.org", "ada@example.org,eve@example.org", "\ud800@example.org", "", "   "],
];

test("register: an invalid email is 400 with the violated rule and creates no account", async () => {
  const before = accountCount();
  for (const email of badEmails) {
    assertFailure(await register(email), 400, "invalid_request", /\bemail\b/);
  }
  const tooLong = `${longEmail(246).slice(0, -4)}${"e".repeat(9)}.org`;
  assertFailure(await register(tooLong), 400, "invalid_request", /\bemail\b.*254/);
  assert.equal(accountCount(), before);
});

test("register: the server ignores body members other than email and password", async () => {
  const json = {
    email: "mallory@example.org",
    password: PASSWORD,
    id: "01a1fc6b-d91f-75da-881f-eaa0e5224224",
    plan: "pro",
    email_verified: true,
    email_verified_at: "2026-01-01T00:00:00.000Z",
    emailVerifiedAt: "2026-01-01T00:00:00.000Z",
    role: "admin",
    quota_units: 1_000_000,
    created_at: "2000-01-01T00:00:00.000Z",
  };

  const { status, body } = await service.post(REGISTER, { json });

  assert.equal(status, 201);
  assert.notEqual(body.id, json.id);
  assert.equal(body.email_verified, false);
  assert.equal(body.created_at, "2026-11-21T12:00:00.000Z");
  const sql = "SELECT plan, email_verified_at, created_at FROM accounts WHERE email = ?";
  assert.deepEqual(Object.values(service.query(sql, json.email)[0] ?? {}), [
    ...["free", null, "2026-11-21T12:00:00.000Z"],
  ]);
});

test("register: the rejection of an invalid password does not reveal whether the email is registered", async () => {
  await register("known@example.org");

  const known = await register("known@example.org", "short");
  const unknown = await register("unknown@example.org", "short");

  assertFailure(known, 400, "invalid_request", String(unknown.body.message));
});
