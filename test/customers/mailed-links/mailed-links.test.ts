import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { assertCommonHeaders, assertFailure } from "../../support/assertions.ts";
import { type Answer, PASSWORD } from "../../support/client.ts";
import { mailsIn, mailTo, tokenOf } from "../../support/mails.ts";
import { startService, startSharedService, type TestService } from "../../support/service.ts";

// The links of both kinds of mail. What a token changes is tested on the stores:
// test/contract/suite/mail-tokens.ts.

const VERIFICATION = "/v1/auth/verification";
const CONFIRM = "/v1/auth/password-reset/confirm";
const NEW = "quite another passphrase";
const HOUR_MS = 3_600_000;

const doors = [
  {
    name: "verification",
    page: "verify",
    request: "/v1/auth/verification/resend",
    path: VERIFICATION,
    more: {},
    validMs: 24 * HOUR_MS,
  },
  {
    name: "reset",
    page: "reset",
    request: "/v1/auth/password-reset",
    path: CONFIRM,
    more: { password: NEW },
    validMs: HOUR_MS,
  },
] as const;

type Door = (typeof doors)[number];

const service = await startSharedService();

const use = ({ path, more }: Door, token: unknown, own: TestService = service) =>
  own.post(path, { json: { token, ...more } });

/** Opens accounts and waits for a mail of each kind to each. @returns them by their names. */
async function openAccounts(own: TestService, names: readonly string[]) {
  const opened = names.map((name) => ({ name, email: `${name}@example.org` }));
  for (const { email } of opened) {
    await own.register(email);
    await own.post("/v1/auth/password-reset", { json: { email } });
  }
  const entries = opened.map(async ({ name, email }) => {
    const [verification, reset] = await Promise.all(
      doors.map(async ({ page }) => tokenOf(await mailTo(own.dataDirectory, email, page))),
    );
    return [name, { email, verification: verification ?? "", reset: reset ?? "" }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const names = ["plain", "malformed", "known", "alone", "logged-in"];
const accounts = await openAccounts(service, names);
const account = (name: string) => accounts[name] ?? assert.fail(`no account ${name}`);

/** Every row that a token could change, without the columns that mail delivery changes. */
const stored = () => [
  service.query("SELECT * FROM accounts ORDER BY id"),
  service.query("SELECT * FROM mail_tokens ORDER BY token_hash"),
  service.query("SELECT * FROM sessions ORDER BY token_hash"),
  service.query("SELECT id, account_id, kind, created_at FROM mails ORDER BY id"),
];

const verifiedAt = (email: string) =>
  service.query("SELECT email_verified_at FROM accounts WHERE email = ?", email)[0]
    ?.email_verified_at;

function assertUsed(answer: Answer): void {
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assertCommonHeaders(answer);
}

const withoutIds = ({ status, headers, text }: Answer) => {
  const { "x-request-id": _id, date: _date, ...others } = headers;
  return { status, others, text };
};

for (const door of doors) {
  const { name, page, request, path, validMs } = door;

  test(`${name}: one mail has the link to this service's page; its token works once, and opens no session`, async () => {
    const { email, [name]: token } = account("plain");
    const link = `\n${service.url}/${page}#token=${token}\n`;
    const mails = await mailsIn(service.dataDirectory);
    assert.equal(mails.filter(({ text }) => text?.includes(link)).length, 1);
    service.query("UPDATE accounts SET email_verified_at = NULL");
    const sessions = service.query("SELECT * FROM sessions");

    assertUsed(await use(door, token));

    const verified = service.query(
      "SELECT email FROM accounts WHERE email_verified_at IS NOT NULL",
    );
    assert.deepEqual(
      verified.map((row) => row.email),
      [email],
    );
    assert.equal(verifiedAt(email), "2026-11-21T12:00:00.000Z");
    assert.deepEqual(service.query("SELECT * FROM sessions"), sessions);
    assertFailure(await use(door, token), 400, "invalid_token");
  });

  test(`${name}: a token expires exactly ${validMs / HOUR_MS} h after its mail was created, and another is sent`, async () => {
    await using own = await startService();
    const { ada, late } = await openAccounts(own, ["ada", "late"]);

    own.clock.advanceMs(validMs - 1);
    assertUsed(await use(door, ada?.[name], own));
    own.clock.advanceMs(1);
    assertFailure(await use(door, late?.[name], own), 400, "invalid_token");

    const email = late?.email ?? "";
    await own.post(request, { json: { email } });
    assertUsed(await use(door, tokenOf(await mailTo(own.dataDirectory, email, page, 2)), own));
  });

  test(`${name}: an invalid token returns 400, with any password, and changes nothing`, async () => {
    const { [name]: token, ...others } = account("malformed");
    const { session, apiKey } = await service.newCustomer();
    await using elsewhere = await startService();
    const foreign = (await openAccounts(elsewhere, ["malformed"])).malformed?.[name];
    const before = stored();

    const texts = [
      ...["", "3f".repeat(31), "3f".repeat(33), "3f".repeat(32), "3".repeat(10_000)],
      ...["g".repeat(64), "３".repeat(64), "%".repeat(64), token.slice(0, -1), `${token}0`],
      ...[token.toUpperCase(), ` ${token}`, `${token}\n`, `${token}\u0000`, `#token=${token}`],
      ...[`${service.url}/${page}#token=${token}`, hash("sha256", token), foreign],
      ...[session, session.slice(9), apiKey, apiKey.slice(9), ...Object.values(others)],
    ];
    for (const text of texts) {
      assertFailure(await use(door, text), 400, "invalid_token");
      const json = { token: text, password: "short" };
      assertFailure(await service.post(path, { json }), 400, "invalid_token");
    }

    assert.deepEqual(stored(), before);
    assertUsed(await use(door, token));
  });

  test(`${name}: for an email to which no mail is due the server returns the usual 202 and writes nothing`, async () => {
    const { email } = account("known");
    const verified = name === "verification" ? [account("plain").email] : [];
    const before = stored();

    const [unknown, ...others] = await Promise.all(
      ["nobody@example.org", ...verified].map((to) =>
        service.post(request, { json: { email: to } }),
      ),
    );

    assert.ok(unknown !== undefined);
    assert.deepEqual(stored(), before);
    assert.deepEqual([unknown.status, unknown.text], [202, "{}"]);
    assertCommonHeaders(unknown);
    const known = await service.post(request, { json: { email: ` ${email.toUpperCase()}\n` } });
    for (const answer of [...others, known]) {
      assert.deepEqual(withoutIds(answer), withoutIds(unknown));
    }
    // The mail of a later request has arrived, so a mail of an earlier one would be here too.
    await mailTo(service.dataDirectory, email, page, 2);
    const mails = await mailsIn(service.dataDirectory);
    assert.ok(!mails.some(({ to }) => to?.[0]?.address === "nobody@example.org"));
  });

  test(`${name}: the server reads the token only from the body`, async () => {
    const token = account("alone")[name];
    const headers = { authorization: `Session ${token}`, cookie: `token=${token}` };
    const before = stored();

    const answer = await service.post(`${path}?token=${token}`, { json: door.more, headers });

    assertFailure(answer, 400, "invalid_request", /\btoken\b.*missing/);
    assert.deepEqual(stored(), before);
  });
}

test("verification: a request needs no session, ignores an invalid one and ends none", async () => {
  const { email, verification: token } = account("logged-in");
  const { body } = await service.post("/v1/auth/login", { json: { email, password: PASSWORD } });
  const session = String(body.session_token);

  assertUsed(await service.post(VERIFICATION, { json: { token }, session: "svc_sess_none" }));

  assert.notEqual(verifiedAt(email), null);
  assert.equal((await service.get("/v1/account/usage", { session })).status, 200);
});
