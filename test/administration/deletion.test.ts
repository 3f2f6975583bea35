import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Secrets } from "../../src/shared/secrets.ts";
import { BY, newId, newResetToken, newSession } from "../contract/suite/database.ts";
import { assertFailure, assertSessionRejected } from "../support/assertions.ts";
import { engines, startServiceOn } from "../support/both-engines.ts";
import { PASSWORD } from "../support/client.ts";
import { quickSecrets } from "../support/quick-secrets.ts";
import { startService, startSharedService, type TestService } from "../support/service.ts";

const ACCOUNT = "/v1/account";
const NO_LOG_IN = "Email or password is incorrect.";
const INCORRECT = "The password is incorrect.";

const remove = (service: TestService, session: string, password: unknown = PASSWORD) =>
  service.call("DELETE", ACCOUNT, { session, json: { password } });

for (const engine of engines) {
  suite(`DELETE ${ACCOUNT} on ${engine}`, () => {
    test("deletes the account: its keys and sessions are rejected on every node, its email is free", async () => {
      await using on = await startServiceOn(engine);
      const { service, config } = on;
      const { clock, dataDirectory } = service;
      await using node = await startService({ clock, dataDirectory, config });
      const ada = await service.newCustomer("ada@example.org");
      const bob = await service.newCustomer("bob@example.org");
      assert.equal((await ada.read()).status, 200);
      assert.equal((await node.readRate("EUR/USD", ada.apiKey)).status, 200);

      const answer = await remove(service, ada.session);

      assert.deepEqual([answer.status, answer.text], [204, ""]);
      for (const each of [service, node]) {
        assert.equal((await each.readRate("EUR/USD", ada.apiKey)).status, 401);
        assertSessionRejected(await each.get(ACCOUNT, ada));
        const json = { email: ada.email, password: PASSWORD };
        assertFailure(await each.post("/v1/auth/login", { json }), 401, "unauthorized", NO_LOG_IN);
        assert.equal((await each.readRate("EUR/USD", bob.apiKey)).status, 200);
      }
      const again = await service.newCustomer("ada@example.org");
      assert.equal(await again.usedUnits(), 0);
    });

    test("keeps the units and the events, without the address of the deletion", async () => {
      await using on = await startServiceOn(engine);
      const { service } = on;
      const ada = await service.newCustomer("ada@example.org");
      await ada.read();
      const { id } = (await service.get(ACCOUNT, ada)).body;

      assert.equal((await remove(service, ada.session)).status, 204);

      await using store = await on.openStore();
      assert.equal((await store.usage.ofPeriod(String(id), "2026-11"))?.usedUnits, 1);
      const events = await store.audit.ofAccount(String(id), undefined, 100);
      assert.equal(events[0]?.action, "account.deleted");
      for (const { actor, origin, details } of events) {
        assert.deepEqual([actor, origin, details], ["account", undefined, {}]);
      }
    });

    test("while its keys read: no read that begins later is served, and each one served is counted", async () => {
      await using on = await startServiceOn(engine);
      const { service } = on;
      const ada = await service.newCustomer("ada@example.org");
      const { id } = (await service.get(ACCOUNT, ada)).body;
      let served = 0;
      let isDeleted = false;
      const readOn = async () => {
        for (;;) {
          const isLate = isDeleted;
          const { status } = await service.readRate("EUR/USD", ada.apiKey);
          assert.ok(status === 200 || status === 401, `status ${status}`);
          if (status === 401) return;
          assert.equal(isLate, false, "a read after the deletion was served");
          served += 1;
        }
      };

      const reading = Promise.all(Array.from({ length: 8 }, readOn));
      const answer = await remove(service, ada.session);
      isDeleted = true;
      await reading;

      assert.equal(answer.status, 204);
      await using store = await on.openStore();
      const usage = await store.usage.ofPeriod(String(id), "2026-11");
      assert.equal(usage?.usedUnits, served);
    });

    test("a suspended account can delete, list and end nothing", async () => {
      await using on = await startServiceOn(engine);
      const { service } = on;
      const session = await service.openSession("ada@example.org");
      const other = await service.logIn("ada@example.org");
      const { sessions } = (await service.get(`${ACCOUNT}/sessions`, { session })).body;
      const [{ id: otherId } = { id: "" }] = sessions as readonly { id: string }[];
      await using store = await on.openStore();
      await store.administration.suspend("ada@example.org", BY);

      assertSessionRejected(await remove(service, session));
      assertSessionRejected(await service.get(`${ACCOUNT}/sessions`, { session }));
      assertSessionRejected(await service.get(`${ACCOUNT}/export`, { session }));
      for (const path of ["/sessions", `/sessions/${otherId}`]) {
        assertSessionRejected(await service.call("DELETE", `${ACCOUNT}${path}`, { session }));
      }

      await store.administration.resume("ada@example.org", BY);
      assert.equal((await service.get(ACCOUNT, { session: other })).status, 200);
    });

    test("with a password that is reset during its check has no session: it deletes nothing", async () => {
      let replace: (() => Promise<unknown>) | undefined;
      const { secrets } = quickSecrets();
      const replacement = await secrets.hashPassword("quite another passphrase");
      const verifyPassword: Secrets["verifyPassword"] = async (stored, password) => {
        const check = await secrets.verifyPassword(stored, password);
        await replace?.();
        return check;
      };
      const options = { secrets: { ...secrets, verifyPassword } };
      await using on = await startServiceOn(engine, options);
      await using store = await on.openStore();
      const ada = await on.service.newCustomer("ada@example.org");
      const reset = newResetToken();
      await store.mailTokens.issue("ada@example.org", reset, BY);
      const { tokenHash } = reset;
      const change = { tokenHash, passwordHash: replacement, mailId: newId() };
      replace = () => store.mailTokens.resetPassword(change, BY);

      const answer = await remove(on.service, ada.session);

      assertSessionRejected(answer);
      assert.equal((await store.accounts.findByEmail(ada.email))?.passwordHash, replacement);
    });

    test("with a password whose digest a log-in renews during its check deletes the account", async () => {
      let renew: (() => Promise<unknown>) | undefined;
      const { secrets } = quickSecrets();
      const verifyPassword: Secrets["verifyPassword"] = async (stored, password) => {
        const check = await secrets.verifyPassword(stored, password);
        await renew?.();
        renew = undefined;
        return check;
      };
      await using on = await startServiceOn(engine, { secrets: { ...secrets, verifyPassword } });
      await using store = await on.openStore();
      const ada = await on.service.newCustomer("ada@example.org");
      const account = await store.accounts.findByEmail(ada.email);
      const hash = account?.passwordHash ?? "";
      const nextHash = await secrets.hashPassword(PASSWORD);
      const session = newSession(account?.id ?? "");
      renew = () => store.sessions.create(session, { hash, nextHash }, BY);

      assert.equal((await remove(on.service, ada.session)).status, 204);

      assert.equal(renew, undefined);
      assert.equal(await store.accounts.findByEmail(ada.email), undefined);
    });

    test("with a wrong password deletes nothing, and the message names no email", async () => {
      await using on = await startServiceOn(engine);
      const { service } = on;
      const ada = await service.newCustomer("ada@example.org");

      for (const password of ["", "incorrect horse battery", `${PASSWORD} `]) {
        const answer = await remove(service, ada.session, password);
        assertFailure(answer, 401, "unauthorized", INCORRECT);
      }

      assert.equal((await service.get(ACCOUNT, ada)).status, 200);
      assert.equal((await ada.read()).status, 200);
      const { events } = (await service.get("/v1/account/events", ada)).body;
      assert.equal((events as readonly unknown[]).length, 3);
    });
  });
}

const service = await startSharedService();

const invalid = [
  ["no body", {}, /JSON object/],
  ["no password", { json: {} }, /^password is missing\.$/],
  ["a number as password", { json: { password: 8 } }, /^password must be string\.$/],
  ["a list", { json: [PASSWORD] }, /./],
  ["broken JSON", { raw: "{", headers: { "content-type": "application/json" } }, /JSON/],
] as const;

for (const [what, how, message] of invalid) {
  test(`a deletion with ${what} is an invalid request and deletes nothing`, async () => {
    const session = await service.openSession();

    const answer = await service.call("DELETE", ACCOUNT, { session, ...how });

    assertFailure(answer, 400, "invalid_request", message);
    assert.equal((await service.get(ACCOUNT, { session })).status, 200);
  });
}

test("a deletion with a body that is no JSON is 415, and one over 16 KiB is 413", async () => {
  const session = await service.openSession();
  const headers = { "content-type": "text/plain" };
  const raw = JSON.stringify({ password: PASSWORD });
  const plain = await service.call("DELETE", ACCOUNT, { session, raw, headers });
  assertFailure(plain, 415, "unsupported_media_type");
  const json = { password: PASSWORD, more: "x".repeat(16_384) };
  const large = await service.call("DELETE", ACCOUNT, { session, json });
  assertFailure(large, 413, "payload_too_large");
  assert.equal((await service.get(ACCOUNT, { session })).status, 200);
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

test("of concurrent deletions one succeeds, and the others find no session", async () => {
  const session = await service.openSession("twice@example.org");

  const answers = await Promise.all(Array.from({ length: 5 }, () => remove(service, session)));

  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [204, 401, 401, 401, 401]);
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
