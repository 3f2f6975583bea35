import assert from "node:assert/strict";
import { test } from "node:test";
import type { Passwords } from "../../../src/customers/passwords/passwords.ts";
import { newInvitation } from "../../contract/suite/customers.ts";
import { BY } from "../../contract/suite/origins.ts";
import { contentsOfSqlite } from "../../platform/storage/used-store.ts";
import { assertFailure } from "../../support/assertions.ts";
import { startServiceOn } from "../../support/both-engines.ts";
import { PASSWORD } from "../../support/client.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { startService, type TestOptions, type TestService } from "../../support/service.ts";

const REGISTER = "/v1/auth/register";
const EMAIL = "ada@example.org";
const AT_END = "2026-11-28T12:00:00.000Z";
const JUST_BEFORE_END = "2026-11-28T11:59:59.999Z";

const inMode = (registration: "open" | "invite" | "closed", more = {}): TestOptions => ({
  config: { registration, ...more },
});

const register = (service: TestService, body: object = {}) =>
  service.post(REGISTER, { json: { email: EMAIL, password: PASSWORD, ...body } });

const logIn = (service: TestService, email = EMAIL, password = PASSWORD) =>
  service.post("/v1/auth/login", { json: { email, password } });

/** A service on SQLite with one invitation for EMAIL to a plan of 5 units. */
async function startWithInvitation(options: TestOptions) {
  const on = await startServiceOn("sqlite", options);
  const invitation = newInvitation({ email: EMAIL, plan: "pro" });
  await using store = await on.openStore();
  await store.plans.set({ name: "pro", unitsPerPeriod: 5 }, BY);
  await store.invitations.create(invitation, BY);
  const { service } = on;
  return { service, invitation, [Symbol.asyncDispose]: () => on[Symbol.asyncDispose]() };
}

/** Everything that a service has stored, but for the windows of the auth limiter. */
function contentsWithoutWindows({ dataDirectory }: TestService) {
  const { auth_windows: _, ...others } = contentsOfSqlite(dataDirectory);
  return others;
}

/** Passwords that fail a test in which one is hashed. */
const noHashing = { ...quickPasswords, hash: () => assert.fail("a password was hashed") };

const rejections = [
  ["invite", undefined, 403, "registration_closed", /by invitation only.*ask the operator/],
  ["invite", "3f".repeat(32), 403, "registration_closed", /by invitation only.*ask the operator/],
  ["closed", undefined, 403, "registration_closed", /is closed.*ask the operator/],
  ["closed", "3f".repeat(32), 403, "registration_closed", /is closed.*ask the operator/],
  ["open", "3f".repeat(32), 400, "invalid_token", /email that was invited.*without an invitation/],
] as const;

for (const [mode, invitation, status, code, message] of rejections) {
  const with_ = invitation === undefined ? "without an invitation" : "with an unknown invitation";
  test(`registration ${mode}: ${with_} it is ${status} ${code}, hashes no password, and changes only the auth limit, whether or not the email has an account`, async () => {
    await using service = await startService({ ...inMode(mode), passwords: noHashing });
    service.query(
      `INSERT INTO accounts (id, email, password_hash, plan, created_at)
       VALUES ('known', 'known@example.org', '', 'free', '2026-11-21T00:00:00.000Z')`,
    );
    const before = contentsWithoutWindows(service);

    const known = await register(service, { email: "known@example.org", invitation });
    const unknown = await register(service, { email: "unknown@example.org", invitation });
    const weak = await register(service, { password: "short", invitation });

    for (const answer of [known, unknown, weak]) assertFailure(answer, status, code, message);
    assert.equal(known.body.message, unknown.body.message);
    assert.deepEqual(contentsWithoutWindows(service), before);
    const [windows] = service.query("SELECT count(*) AS count FROM auth_windows");
    assert.equal(windows?.count, 4, "one of the address, and one of each email");
  });
}

const MALFORMED = ["", " ", "none", "3f".repeat(31), "3f".repeat(33), "' OR 1=1 --", "\u0000"];

test("registration invite: an invitation of another form gets the same message as an unknown one", async () => {
  await using at = await startWithInvitation(inMode("invite"));
  const { service, invitation } = at;
  const { body } = await register(service, { invitation: "3f".repeat(32) });

  const forms = [...MALFORMED, invitation.token.toUpperCase(), ` ${invitation.token}`];
  for (const text of forms) {
    const answer = await register(service, { invitation: text });
    assertFailure(answer, 403, "registration_closed", String(body.message));
  }
  for (const other of [null, 1, ["3f".repeat(32)], {}]) {
    const answer = await register(service, { invitation: other });
    assertFailure(answer, 400, "invalid_request", /invitation/);
  }
  assert.deepEqual(service.query("SELECT * FROM accounts"), []);
});

for (const mode of ["open", "invite"] as const) {
  const [status, code] =
    mode === "open" ? ([400, "invalid_token"] as const) : ([403, "registration_closed"] as const);

  test(`registration ${mode}: a valid invitation creates a verified account on its plan and sends no mail`, async () => {
    const options = inMode(mode, { requireVerifiedEmail: true });
    await using at = await startWithInvitation(options);
    const { service, invitation } = at;
    const mails = service.query("SELECT id FROM mails");

    const answer = await register(service, {
      email: " ADA@Example.org ",
      invitation: invitation.token,
    });

    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(
      [answer.body.id, answer.body.email, answer.body.email_verified],
      [invitation.accountId, EMAIL, true],
    );
    const [account] = service.query("SELECT plan, email_verified_at AS at FROM accounts");
    assert.deepEqual([account?.plan, account?.at], ["pro", "2026-11-21T12:00:00.000Z"]);
    assert.deepEqual(service.query("SELECT id FROM mails"), mails);
    assert.deepEqual(service.query("SELECT * FROM invitations"), []);
    const session = String((await logIn(service)).body.session_token);
    const { body } = await service.get("/v1/account/events", { session });
    const events = body.events as { action: string; details: object }[];
    const registered = events.find(({ action }) => action === "account.registered");
    assert.deepEqual(registered?.details, { plan: "pro", invited: true });
  });

  test(`registration ${mode}: an invitation works once, for its email, for seven days, also after a weak password, with one message otherwise`, async () => {
    await using at = await startWithInvitation(inMode(mode));
    const { service, invitation } = at;
    const { token } = invitation;

    const foreign = await register(service, { email: "eve@example.org", invitation: token });
    const weak = await register(service, { password: "short", invitation: token });
    assertFailure(weak, 400, "invalid_request", /password/);
    service.clock.set(AT_END);
    const late = await register(service, { invitation: token });
    assert.deepEqual(service.query("SELECT * FROM accounts"), []);
    service.clock.set(JUST_BEFORE_END);
    assert.equal((await register(service, { invitation: token })).status, 201);
    const again = await register(service, { invitation: token });
    const elsewhere = await register(service, { email: "eve@example.org", invitation: token });

    const { message } = foreign.body;
    for (const answer of [foreign, late, again, elsewhere]) {
      assertFailure(answer, status, code, String(message));
    }
    assert.equal(service.query("SELECT * FROM accounts").length, 1);
  });

  test(`registration ${mode}: an invitation of an email that has an account by then changes nothing`, async () => {
    await using at = await startWithInvitation(inMode(mode));
    const { service, invitation } = at;
    service.query(
      `INSERT INTO accounts (id, email, password_hash, plan, created_at)
       VALUES ('first', ?, '', 'free', '2026-11-21T00:00:00.000Z')`,
      EMAIL,
    );
    const before = contentsWithoutWindows(service);

    assertFailure(await register(service, { invitation: invitation.token }), 409, "email_taken");

    assert.deepEqual(contentsWithoutWindows(service), before);
  });
}

test("registration: a rejection counts against the auth limit, which is checked first", async () => {
  await using service = await startService(inMode("closed", { authCallsPerWindow: 2 }));

  for (let call = 0; call < 2; call += 1) {
    assertFailure(await register(service), 403, "registration_closed");
  }

  assertFailure(await register(service), 429, "too_many_requests");
});

test("registration closed: a valid invitation creates no account, and is valid once registration is open", async () => {
  await using at = await startWithInvitation(inMode("invite"));
  const { dataDirectory } = at.service;
  const invited = { invitation: at.invitation.token };
  {
    await using closed = await startService({ ...inMode("closed"), dataDirectory });
    assertFailure(await register(closed, invited), 403, "registration_closed");
    assert.deepEqual(closed.query("SELECT * FROM accounts"), []);
  }
  await using open = await startService({ ...inMode("open"), dataDirectory });
  assert.equal((await register(open, invited)).status, 201);
});

test("an account without a password rejects every log-in as a wrong password, after the check for no account", async () => {
  const checked: (string | undefined)[] = [];
  const verify: Passwords["verify"] = (stored, password) => {
    checked.push(stored);
    return quickPasswords.verify(stored, password);
  };
  await using service = await startService({ passwords: { ...quickPasswords, verify } });
  service.query(
    `INSERT INTO accounts (id, email, password_hash, plan, created_at)
     VALUES ('created', ?, '', 'free', '2026-11-21T00:00:00.000Z')`,
    EMAIL,
  );
  const unknown = await logIn(service, "nobody@example.org");

  for (const password of ["", " ", "null", PASSWORD, "\u0000"]) {
    const answer = await logIn(service, EMAIL, password);
    assertFailure(answer, 401, "unauthorized", String(unknown.body.message));
  }

  assert.deepEqual(new Set(checked), new Set([undefined]));
  assert.deepEqual(service.query("SELECT * FROM sessions"), []);
});
