import assert from "node:assert/strict";
import { test } from "node:test";
import type { Passwords } from "../../../src/customers/passwords/passwords.ts";
import { newResetToken, newSession } from "../../contract/suite/customers.ts";
import { BY, newId } from "../../contract/suite/origins.ts";
import { assertFailure, assertSessionRejected } from "../../support/assertions.ts";
import { startServiceOn } from "../../support/both-engines.ts";
import { PASSWORD } from "../../support/client.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { startService, startSharedService, type TestService } from "../../support/service.ts";

const ACCOUNT = "/v1/account";
const NO_LOG_IN = "Email or password is incorrect.";
const INCORRECT = "The password is incorrect.";

const remove = (service: TestService, session: string, password: unknown = PASSWORD) =>
  service.call("DELETE", ACCOUNT, { session, json: { password } });

const service = await startSharedService();

test("a deletion is 204: its keys, session and log-in are rejected, and its email is free", async () => {
  const ada = await service.newCustomer("ada@example.org");
  const bob = await service.newCustomer();
  assert.equal((await ada.read()).status, 200);

  const answer = await remove(service, ada.session);

  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assert.equal((await ada.read()).status, 401);
  assertSessionRejected(await service.get(ACCOUNT, ada));
  assertSessionRejected(await remove(service, ada.session));
  const json = { email: ada.email, password: PASSWORD };
  assertFailure(await service.post("/v1/auth/login", { json }), 401, "unauthorized", NO_LOG_IN);
  assert.equal((await bob.read()).status, 200);
  assert.equal(await (await service.newCustomer("ada@example.org")).usedUnits(), 0);
});

/** A service on which an action happens while the password of a deletion is checked. */
async function startWithCheck() {
  const during: { act?: (() => Promise<unknown>) | undefined } = {};
  const verify: Passwords["verify"] = async (stored, password) => {
    const check = await quickPasswords.verify(stored, password);
    const { act } = during;
    during.act = undefined;
    await act?.();
    return check;
  };
  await using starting = new AsyncDisposableStack();
  const options = { passwords: { ...quickPasswords, verify } };
  const on = starting.use(await startServiceOn("sqlite", options));
  const store = starting.use(await on.openStore());
  const { service: own } = on;
  const ada = await own.newCustomer("ada@example.org");
  const started = starting.move();
  return { own, store, ada, during, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

test("a password that is reset during its check has no session: it deletes nothing", async () => {
  await using started = await startWithCheck();
  const { own, store, ada, during } = started;
  const passwordHash = await quickPasswords.hash("quite another passphrase");
  const reset = newResetToken();
  await store.mailTokens.issue(ada.email, reset, BY);
  const change = { tokenHash: reset.tokenHash, passwordHash, mailId: newId() };
  during.act = () => store.mailTokens.resetPassword(change, BY);

  assertSessionRejected(await remove(own, ada.session));

  assert.equal((await store.accounts.findByEmail(ada.email))?.passwordHash, passwordHash);
});

test("a password whose digest a log-in renews during its check deletes the account", async () => {
  await using started = await startWithCheck();
  const { own, store, ada, during } = started;
  const account = await store.accounts.findByEmail(ada.email);
  const renewal = {
    hash: account?.passwordHash ?? "",
    nextHash: await quickPasswords.hash(PASSWORD),
  };
  during.act = () => store.sessions.create(newSession(account?.id ?? ""), renewal, BY);

  assert.equal((await remove(own, ada.session)).status, 204);

  assert.equal(during.act, undefined);
  assert.equal(await store.accounts.findByEmail(ada.email), undefined);
});

test("a wrong password deletes nothing, and the message names no email", async () => {
  const ada = await service.newCustomer();

  for (const password of ["", "incorrect horse battery", `${PASSWORD} `]) {
    assertFailure(await remove(service, ada.session, password), 401, "unauthorized", INCORRECT);
  }

  assert.equal((await service.get(ACCOUNT, ada)).status, 200);
  assert.equal((await ada.read()).status, 200);
  const { events } = (await service.get("/v1/account/events", ada)).body;
  assert.equal((events as readonly unknown[]).length, 3);
});

test("deletions and log-ins of an account count against the same limit, before the password", async () => {
  await using own = await startService({ config: { authCallsPerWindow: 4 } });
  const session = await own.openSession("ada@example.org");
  for (let call = 0; call < 2; call += 1) {
    assertFailure(await remove(own, session, "wrong"), 401, "unauthorized", INCORRECT);
  }

  assertFailure(await remove(own, session), 429, "too_many_requests");

  const json = { email: "ada@example.org", password: PASSWORD };
  assertFailure(await own.post("/v1/auth/login", { json }), 429, "too_many_requests");
  assert.equal((await own.get(ACCOUNT, { session })).status, 200);
});

test("an account reads its email, plan and time of creation, and nothing of its password", async () => {
  const session = await service.openSession("eve@example.org");

  const { status, body } = await service.get(ACCOUNT, { session });

  const [stored] = service.query("SELECT id FROM accounts WHERE email = 'eve@example.org'");
  assert.equal(status, 200);
  assert.deepEqual(body, {
    id: stored?.id,
    email: "eve@example.org",
    created_at: "2026-11-21T12:00:00.000Z",
    email_verified: false,
    plan: "free",
  });
  service.query("UPDATE accounts SET email_verified_at = created_at WHERE id = ?", String(body.id));
  assert.equal((await service.get(ACCOUNT, { session })).body.email_verified, true);
  assertSessionRejected(await service.get(ACCOUNT));
});
