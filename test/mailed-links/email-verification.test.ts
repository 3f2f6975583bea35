import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { assertCommonHeaders, assertFailure } from "../support/assertions.ts";
import { type Answer, PASSWORD } from "../support/client.ts";
import { eventually, mailsIn, mailTo, tokenOf } from "../support/mails.ts";
import { startService, startSharedService, type TestService } from "../support/service.ts";

const VERIFICATION = "/v1/auth/verification";
const RESEND = "/v1/auth/verification/resend";
const DAY_MS = 86_400_000;

const service = await startSharedService();

const register = (email: string, own: TestService = service) =>
  own.post("/v1/auth/register", { json: { email, password: PASSWORD } });

const verify = (token: unknown, own: TestService = service) =>
  own.post(VERIFICATION, { json: { token } });

const resend = (email: unknown) => service.post(RESEND, { json: { email } });

/** Registers accounts and waits for the mail of each. @returns their tokens. */
async function mailedTokens(own: TestService, emails: readonly string[]): Promise<string[]> {
  for (const email of emails) assert.equal((await register(email, own)).status, 201);
  const mails = emails.map((email) => mailTo(own.dataDirectory, email, "verify"));
  return (await Promise.all(mails)).map(tokenOf);
}

const names = "plain again done malformed logged-in owner known".split(" ");
const emailOf = (name: string) => `${name}@example.org`;
const tokens = await mailedTokens(service, names.map(emailOf));
const mailedTo = (name: string) => tokens[names.indexOf(name)] ?? "";

const verifiedAt = (email: string, own: TestService = service) =>
  own.query("SELECT email_verified_at FROM accounts WHERE email = ?", email)[0]?.email_verified_at;

/** Every row that a token could change, without the columns that mail delivery changes. */
const stored = () => [
  service.query("SELECT * FROM accounts ORDER BY id"),
  service.query("SELECT * FROM mail_tokens ORDER BY token_hash"),
  service.query("SELECT * FROM sessions ORDER BY token_hash"),
  service.query("SELECT id, account_id, kind, created_at FROM mails ORDER BY id"),
];

function assertVerified(answer: Answer): void {
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assertCommonHeaders(answer);
}

test("verification: a registration sends one mail with a link to this service's page", async () => {
  const mails = await mailsIn(service.dataDirectory);

  const own = mails.filter(({ to }) => to?.[0]?.address === emailOf("plain"));
  assert.equal(own.length, 1);
  assert.ok(own[0]?.text?.includes(`\n${service.url}/verify#token=${mailedTo("plain")}\n`));
});

test("verification: after the mail's delivery the database holds the token's SHA-256 but not the token", async () => {
  const token = mailedTo("owner");
  await eventually("delivery of every mail", () => {
    const waiting = service.query("SELECT 1 FROM mails WHERE delivered_at IS NULL");
    return waiting.length === 0 || undefined;
  });

  const digests = service.query("SELECT token_hash FROM mail_tokens").map((row) => row.token_hash);
  assert.ok(digests.includes(hash("sha256", token)));
  for (const { name } of service.query("SELECT name FROM sqlite_master WHERE type = 'table'")) {
    assert.ok(!JSON.stringify(service.query(`SELECT * FROM ${name}`)).includes(token));
  }
});

test("verification: the mailed token returns 204, verifies the email and opens no session", async () => {
  const [, , sessions] = stored();
  assert.equal(verifiedAt(emailOf("plain")), null);

  assertVerified(await verify(mailedTo("plain")));

  assert.equal(verifiedAt(emailOf("plain")), "2026-11-21T12:00:00.000Z");
  assert.deepEqual(stored()[2], sessions);
  const verified = service.query("SELECT 1 FROM accounts WHERE email_verified_at IS NOT NULL");
  assert.equal(verified.length, 1);
});

test("verification: a token expires exactly 24 hours after its mail was created", async () => {
  await using own = await startService();
  const [inTime, late] = await mailedTokens(own, ["ada@example.org", "late@example.org"]);

  own.clock.advanceMs(DAY_MS - 1);
  assertVerified(await verify(inTime, own));
  own.clock.advanceMs(1);
  assertFailure(await verify(late, own), 400, "invalid_token");
  own.clock.advanceMs(1);
  assertFailure(await verify(late, own), 400, "invalid_token");

  assert.equal(verifiedAt("late@example.org", own), null);
  await own.post(RESEND, { json: { email: "late@example.org" } });
  const next = await mailTo(own.dataDirectory, "late@example.org", "verify", 2);
  assertVerified(await verify(tokenOf(next), own));
});

test("verification: a second mail leaves the first token valid, and using either voids both", async () => {
  const email = emailOf("again");
  assert.equal((await resend(" Again@EXAMPLE.org\n")).status, 202);
  const newer = tokenOf(await mailTo(service.dataDirectory, email, "verify", 2));
  assert.notEqual(newer, mailedTo("again"));

  assert.equal(verifiedAt(email), null);

  assertVerified(await verify(mailedTo("again")));
  for (const token of [mailedTo("again"), newer]) {
    assertFailure(await verify(token), 400, "invalid_token");
  }
});

const withoutIds = ({ status, headers, text }: Answer) => {
  const { "x-request-id": _id, date: _date, ...others } = headers;
  return { status, others, text };
};

test("verification: for an unknown or verified email, resend returns the usual 202 and writes nothing", async () => {
  assertVerified(await verify(mailedTo("done")));
  const before = stored();

  const unknown = await resend("nobody@example.org");
  const verified = await resend(emailOf("done"));

  assert.deepEqual(stored(), before);
  assert.deepEqual([unknown.status, unknown.text], [202, "{}"]);
  assertCommonHeaders(unknown);
  assert.deepEqual(withoutIds(verified), withoutIds(unknown));
  assert.deepEqual(withoutIds(await resend(emailOf("known"))), withoutIds(unknown));
  // The mail of a later request has arrived, so a mail of an earlier one would be here too.
  await mailTo(service.dataDirectory, emailOf("known"), "verify", 2);
  const mails = await mailsIn(service.dataDirectory);
  const addresses = mails.map(({ to }) => to?.[0]?.address);
  assert.ok(!addresses.includes("nobody@example.org"));
  assert.equal(addresses.filter((address) => address === emailOf("done")).length, 1);
});

const malformed = [
  ["that is empty", ""],
  ["that is short", "3f".repeat(31)],
  ["that is long", "3f".repeat(33)],
  ["of 10,000 characters", "3".repeat(10_000)],
  ["that is not hexadecimal", "g".repeat(64)],
  ["of 64 full-width digits", "３".repeat(64)],
  ["that was never mailed", "3f".repeat(32)],
  ["of SQL wildcards", "%".repeat(64)],
] as const;

for (const [what, token] of malformed) {
  test(`verification: a token ${what} returns 400 and changes nothing`, async () => {
    const before = stored();

    assertFailure(await verify(token), 400, "invalid_token");

    assert.deepEqual(stored(), before);
  });
}

test("verification: the server rejects a token in upper case, with white space or with parts of its link", async () => {
  const token = mailedTo("malformed");
  const before = stored();

  const texts = [
    token.toUpperCase(),
    ` ${token}`,
    `${token}\n`,
    `#token=${token}`,
    `${token}\u0000`,
  ];
  texts.push(`${service.url}/verify#token=${token}`, token.slice(0, -1), `${token}0`);
  for (const text of texts) assertFailure(await verify(text), 400, "invalid_token");

  assert.deepEqual(stored(), before);
  assertVerified(await verify(token));
});

test("verification: the server rejects session tokens, API keys, reset tokens and foreign tokens", async () => {
  const { session, apiKey } = await service.newCustomer("holder@example.org");
  await service.post("/v1/auth/password-reset", { json: { email: "holder@example.org" } });
  const reset = tokenOf(await mailTo(service.dataDirectory, "holder@example.org", "reset"));
  await using other = await startService();
  const [foreign = ""] = await mailedTokens(other, ["holder@example.org"]);
  const before = stored();

  const secrets = [session, session.slice(9), apiKey, apiKey.slice(9), reset, foreign];
  for (const secret of [...secrets, hash("sha256", mailedTo("logged-in"))]) {
    assertFailure(await verify(secret), 400, "invalid_token");
  }

  assert.deepEqual(stored(), before);
  assertVerified(await verify(foreign, other));
});

const unfit = [
  ["a token that is missing", VERIFICATION, {}, /\btoken\b.*missing/],
  ["a token under another name", VERIFICATION, { Token: "3f".repeat(32) }, /\btoken\b.*missing/],
  ["a token that is null", VERIFICATION, { token: null }, /\btoken\b.*string/],
  ["a token that is a number", VERIFICATION, { token: 5 }, /\btoken\b.*string/],
  ["a token in an array", VERIFICATION, { token: ["3f".repeat(32)] }, /\btoken\b.*string/],
  ["a token in an object", VERIFICATION, { token: { text: "3f" } }, /\btoken\b.*string/],
  ["an email that is missing", RESEND, {}, /\bemail\b.*missing/],
  ["an email that is null", RESEND, { email: null }, /\bemail\b.*string/],
  ["an email in an array", RESEND, { email: ["ada@example.org"] }, /\bemail\b.*string/],
  ["an email without an at sign", RESEND, { email: "ada.example.org" }, /\bemail\b/],
  ["two emails", RESEND, { email: "ada@example.org,eve@example.org" }, /\bemail\b/],
  ["an email with a header", RESEND, { email: "ada@example.org\r\nBcc: e@f.org" }, /\bemail\b/],
] as const;

for (const [what, path, json, message] of unfit) {
  test(`verification: ${what} returns 400 with the violated rule and changes nothing`, async () => {
    const before = stored();

    assertFailure(await service.post(path, { json }), 400, "invalid_request", message);

    assert.deepEqual(stored(), before);
  });
}

test("verification: the server reads the token only from the body", async () => {
  const token = mailedTo("logged-in");
  const headers = { authorization: `Session ${token}`, cookie: `token=${token}` };

  const answer = await service.post(`${VERIFICATION}?token=${token}`, { json: {}, headers });

  assertFailure(answer, 400, "invalid_request", /\btoken\b.*missing/);
  assert.equal(verifiedAt(emailOf("logged-in")), null);
});

test("verification: a request needs no session, ignores an invalid one and ends none", async () => {
  const email = emailOf("logged-in");
  const { body } = await service.post("/v1/auth/login", { json: { email, password: PASSWORD } });
  const session = String(body.session_token);

  const json = { token: mailedTo("logged-in") };
  assertVerified(await service.post(VERIFICATION, { json, session: "svc_sess_none" }));

  assert.notEqual(verifiedAt(email), null);
  assert.equal((await service.get("/v1/account/usage", { session })).status, 200);
});
