import assert from "node:assert/strict";
import { exportSections } from "../../../src/administration/administration.ts";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  byAt,
  contentsOf,
  EUR_USD,
  KEY_LIMITS,
  NOW,
  newAccount,
  newCustomer,
  newHash,
  newId,
  newInvitation,
  newKey,
  newMailToken,
  newRead,
  newResetToken,
  newSession,
  PERIOD,
  type StoreTest,
  storeRates,
  UNCHANGED,
  unitsOfDays,
  usedUnits,
} from "./database.ts";

const LATER = "2026-11-21T12:30:00.000Z";
const OPERATOR = {
  ...byAt(LATER),
  actor: { kind: "operator", userName: "root", hostName: "one.example.org" },
} as const;

/** A customer with two units, a session, a waiting mail, an open link and a second key. */
async function newAda(store: Store) {
  await storeRates(store, [EUR_USD]);
  const customer = await newCustomer(store, 10);
  const { accountId, email, keyHash } = customer;
  const session = newSession(accountId);
  await store.sessions.create(session, UNCHANGED, BY);
  const second = newKey(accountId, { name: "second of Ada", keyPrefix: "svc_live_89abcdef" });
  await store.keys.create(second, KEY_LIMITS, BY);
  await store.mailTokens.issue(email, newResetToken(), BY);
  for (const hash of [keyHash, second.keyHash]) await store.metering.read(newRead(hash));
  return { ...customer, session, second };
}

const actionsOf = async (store: Store, accountId: string) =>
  (await store.audit.ofAccount(accountId, undefined, 100)).map(({ action }) => action).reverse();

export function administrationSuite(test: StoreTest): void {
  test("a suspended account's keys, session and log-ins are rejected until it is resumed", async (database) => {
    const [here, there] = [database.openStore(), database.openStore()];
    const { accountId, email, keyHash, session } = await newAda(here);
    const other = await newCustomer(here, 10);
    await there.metering.read(newRead(keyHash));

    assert.equal(await here.administration.suspend(email, OPERATOR), "changed");

    for (const store of [here, there]) {
      assert.equal((await store.metering.read(newRead(keyHash)))?.found, undefined);
      assert.equal((await store.metering.read(newRead(keyHash, { pair: "" })))?.found, undefined);
      assert.equal(await store.keys.findAccount(keyHash), undefined);
      assert.equal(await store.sessions.findAccount(session.tokenHash, NOW), undefined);
      assert.equal(await store.sessions.create(newSession(accountId), UNCHANGED, BY), false);
      const found = await store.metering.read(newRead(other.keyHash));
      assert.equal(typeof found?.found, "object");
    }
    assert.equal(await usedUnits(here, accountId), 3);
    assert.equal((await here.accounts.findByEmail(email))?.suspendedAt, LATER);

    assert.equal(await there.administration.resume(email, OPERATOR), "changed");

    for (const store of [here, there]) {
      assert.equal(await store.keys.findAccount(keyHash), accountId);
      assert.equal(await store.sessions.findAccount(session.tokenHash, NOW), accountId);
    }
    assert.equal(typeof (await here.metering.read(newRead(keyHash)))?.found, "object");
    assert.equal(await usedUnits(here, accountId), 4);
    const actions = await actionsOf(here, accountId);
    assert.deepEqual(actions.slice(-2), ["account.suspended", "account.resumed"]);
  });

  test("in one batch, reads of a suspended account are rejected and the others served", async (database) => {
    const store = database.openStore();
    const ada = await newAda(store);
    const other = await newCustomer(store, 10);
    await store.administration.suspend(ada.email, OPERATOR);

    const hashes = [ada.keyHash, other.keyHash, ada.second.keyHash, other.keyHash];
    const outcomes = await Promise.all(hashes.map((hash) => store.metering.read(newRead(hash))));

    assert.deepEqual(
      outcomes.map((outcome) => outcome?.quota?.usedUnits),
      [undefined, 1, undefined, 2],
    );
    assert.equal(await usedUnits(store, ada.accountId), 2);
  });

  test("a second suspension, and a resumption without one, change and record nothing", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { email } = await newAda(store);
    assert.equal(await store.administration.resume(email, OPERATOR), "unchanged");
    await store.administration.suspend(email, OPERATOR);
    const before = await contentsOf(engine);

    assert.equal(
      await store.administration.suspend(email, byAt("2026-11-22T00:00:00.000Z")),
      "unchanged",
    );
    for (const verb of ["suspend", "resume", "endSessions"] as const) {
      assert.equal(await store.administration[verb]("nobody@example.org", OPERATOR), undefined);
    }

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("ending an account's sessions leaves its keys and other accounts' sessions", async (database) => {
    const store = database.openStore();
    const { accountId, email, session, keyHash } = await newAda(store);
    const other = await newAda(store);
    const second = newSession(accountId);
    await store.sessions.create(second, UNCHANGED, BY);

    assert.equal(await store.administration.endSessions(email, OPERATOR), 2);
    assert.equal(await store.administration.endSessions(email, OPERATOR), 0);

    for (const { tokenHash } of [session, second]) {
      assert.equal(await store.sessions.findAccount(tokenHash, NOW), undefined);
    }
    assert.equal(await store.sessions.findAccount(other.session.tokenHash, NOW), other.accountId);
    assert.equal(await store.keys.findAccount(keyHash), accountId);
    const ended = (await actionsOf(store, accountId)).filter(
      (action) => action === "sessions.ended",
    );
    assert.equal(ended.length, 1);
  });

  test("an operator's token sets a password once and sends no mail", async (database) => {
    const store = database.openStore();
    const { accountId, email } = await newAda(store);
    const mails = (await store.mails.list({ withDelivered: true })).length;
    const { tokenHash, expiresAt } = newResetToken();

    assert.deepEqual(
      await store.administration.createResetToken(email, { tokenHash, expiresAt }, OPERATOR),
      { isSuspended: false },
    );
    assert.equal((await store.mails.list({ withDelivered: true })).length, mails);
    const reset = { tokenHash, passwordHash: "$argon2id$second", mailId: newId() };
    assert.equal(await store.mailTokens.resetPassword(reset, BY), true);
    assert.equal(await store.mailTokens.resetPassword({ ...reset, mailId: newId() }, BY), false);

    const nobody = { tokenHash: newHash(), expiresAt };
    assert.equal(
      await store.administration.createResetToken("nobody@example.org", nobody, OPERATOR),
      undefined,
    );
    assert.equal(
      await store.mailTokens.findEmail(nobody.tokenHash, "password_reset", NOW),
      undefined,
    );
    assert.ok((await actionsOf(store, accountId)).includes("password.reset_link_created"));
  });

  test("withdrawn invitations are void and leave neither token nor email; others stay", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const [first, second] = [newInvitation(), newInvitation()];
    const email = first.email;
    const again = { ...second, email };
    const other = newInvitation();
    for (const invitation of [first, again, other]) {
      await store.invitations.create(invitation, BY);
    }

    assert.equal(await store.administration.withdrawInvitations(email, OPERATOR), 2);
    assert.equal(await store.administration.withdrawInvitations(email, OPERATOR), 0);

    for (const { tokenHash } of [first, again]) {
      assert.equal(await store.invitations.find(tokenHash, email, NOW), undefined);
    }
    assert.notEqual(await store.invitations.find(other.tokenHash, other.email, NOW), undefined);
    assert.ok(!JSON.stringify(await contentsOf(engine)).includes(email));
    assert.equal((await actionsOf(store, first.accountId)).at(-1), "account.invitation_withdrawn");
  });

  deletionSuite(test);
  exportSuite(test);
}

function deletionSuite(test: StoreTest): void {
  test("a deleted account leaves only its id, plan, times, units, keys' ids and digests, and bare events", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { accountId, email, plan, key, second, session } = await newAda(store);
    await store.plans.set({ name: plan, unitsPerPeriod: 2 }, BY);
    await store.quotaNotices.write(accountId, PERIOD, BY);
    assert.equal((await contentsOf(engine)).quota_notices?.length, 2);
    await store.administration.suspend(email, OPERATOR);

    assert.equal(await store.administration.delete(email, OPERATOR), true);

    const contents = await contentsOf(engine);
    // The plan is this test's own, and was set on nobody's behalf.
    delete contents.plans;
    contents.events = (contents.events ?? []).filter(({ action }) => action !== "plan.set");
    const traces = [email, "second of Ada", key.keyPrefix, second.keyPrefix];
    traces.push(session.tokenHash, "$argon2id$first", "192.0.2.1");
    for (const [table, rows] of Object.entries(contents)) {
      for (const trace of traces)
        assert.ok(!JSON.stringify(rows).includes(trace), `${table}: ${trace}`);
    }
    const withAccount = Object.entries(contents).flatMap(([table, rows]) =>
      JSON.stringify(rows).includes(accountId) ? [table] : [],
    );
    assert.deepEqual(withAccount.sort(), [
      "accounts",
      "api_keys",
      "daily_usage",
      "events",
      "period_usage",
    ]);
    assert.deepEqual(
      { ...contents.accounts?.[0], number: 1 },
      {
        id: accountId,
        email: `deleted ${accountId}`,
        password_hash: "",
        plan,
        created_at: NOW,
        email_verified_at: null,
        suspended_at: null,
        deleted_at: LATER,
        quota_mails: 0,
        number: 1,
      },
    );
    for (const row of contents.api_keys ?? []) {
      assert.deepEqual([row.name, row.key_prefix, row.revoked_at], ["", "", LATER]);
    }
    for (const { details, origin, actor } of contents.events ?? []) {
      assert.equal(details, null);
      assert.equal(origin, actor === "operator" ? "one.example.org" : null);
    }
    assert.equal(await usedUnits(store, accountId), 2);
    const days = await unitsOfDays(store, accountId, "2026-11-21", "2026-11-21");
    assert.deepEqual(
      days.map(({ keyId, units }) => [keyId, units]),
      [
        [key.id, 1],
        [second.id, 1],
      ],
    );
    assert.equal((await actionsOf(store, accountId)).at(-1), "account.deleted");
  });

  test("an account that its owner deletes leaves no address, not even the deletion's", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { accountId, email } = await newAda(store);

    assert.equal(await store.administration.delete(email, byAt(LATER), "$argon2id$first"), true);

    const events = (await contentsOf(engine)).events ?? [];
    const own = events.filter(({ account_id }) => account_id === accountId);
    assert.equal((await actionsOf(store, accountId)).at(-1), "account.deleted");
    for (const { actor, origin, details } of own) {
      assert.deepEqual([actor, origin, details], ["account", null, null]);
    }
  });

  test("a deletion for another password than the stored one deletes nothing", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { email } = await newAda(store);
    const before = await contentsOf(engine);

    assert.equal(await store.administration.delete(email, byAt(LATER), "$argon2id$second"), false);

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("a deleted account's credentials are rejected on every node, uncharged", async (database) => {
    const [here, there] = [database.openStore(), database.openStore()];
    const { accountId, email, keyHash, session } = await newAda(here);
    const reset = newResetToken();
    await here.mailTokens.issue(email, reset, BY);
    await there.metering.read(newRead(keyHash));

    await here.administration.delete(email, OPERATOR);

    for (const store of [here, there]) {
      assert.equal((await store.metering.read(newRead(keyHash)))?.found, undefined);
      assert.equal(await store.keys.findAccount(keyHash), undefined);
      assert.equal(await store.sessions.findAccount(session.tokenHash, NOW), undefined);
      assert.equal(await store.accounts.findByEmail(email), undefined);
      assert.equal(
        await store.mailTokens.findEmail(reset.tokenHash, "password_reset", NOW),
        undefined,
      );
      assert.equal(await store.sessions.create(newSession(accountId), UNCHANGED, BY), false);
    }
    assert.equal(await usedUnits(here, accountId), 3);
    assert.equal(await here.administration.delete(email, OPERATOR), false);
    assert.deepEqual(await here.accounts.summarize(PERIOD.name, email), undefined);
  });

  test("the email of a deleted account can register again and starts with no units", async (database) => {
    const store = database.openStore();
    const { email } = await newAda(store);
    await store.administration.delete(email, OPERATOR);

    const again = newAccount({ email });
    assert.equal(await store.accounts.create(again, newMailToken(), BY), true);
    assert.equal(await usedUnits(store, again.id), 0);
    assert.equal((await store.accounts.list(PERIOD.name, "", 9)).length, 1);
  });

  test("deletions during reads, key creations and log-ins leave no valid credential, and units add up", async (database) => {
    const [here, there] = [database.openStore(), database.openStore()];
    for (let round = 0; round < 5; round += 1) {
      const { accountId, email, keyHash, session } = await newAda(here);
      const late = newKey(accountId, { keyPrefix: "svc_live_00000000" });
      const opened = newSession(accountId);
      const creation = { ...late, sessionHash: session.tokenHash };
      const byOperator = newKey(accountId, { keyPrefix: "svc_live_11111111" });

      const [outcomes] = await Promise.all([
        Promise.all(Array.from({ length: 20 }, () => there.metering.read(newRead(keyHash)))),
        there.keys.create(creation, KEY_LIMITS, BY),
        there.keys.create(byOperator, KEY_LIMITS, OPERATOR),
        there.sessions.create(opened, UNCHANGED, BY),
        here.administration.delete(email, OPERATOR),
      ]);

      for (const { keyHash: created } of [late, byOperator]) {
        assert.equal(await there.keys.findAccount(created), undefined);
      }
      const tooLate = newKey(accountId);
      assert.equal(await there.keys.create(tooLate, KEY_LIMITS, OPERATOR), "account_deleted");
      assert.equal(await there.keys.findAccount(tooLate.keyHash), undefined);
      assert.equal(await here.sessions.findAccount(opened.tokenHash, NOW), undefined);
      const served = outcomes.filter((outcome) => typeof outcome?.found === "object").length;
      assert.equal(await usedUnits(here, accountId), 2 + served);
      const days = await unitsOfDays(here, accountId, "2026-11-21", "2026-11-21");
      assert.equal(
        days.reduce((sum, { units }) => sum + units, 0),
        2 + served,
      );
    }
  });
}

function exportSuite(test: StoreTest): void {
  test("an export has every section of the account and no digest, and of others nothing", async (database) => {
    const store = database.openStore();
    const { accountId, email, keyHash, session } = await newAda(store);
    const other = await newAda(store);

    const account = await store.administration.beginExport(accountId, BY);
    const sections: Record<string, object[]> = {};
    for (const section of exportSections) {
      const page = await store.administration.section(section, accountId, "", 100);
      sections[section] = page.map(({ row }) => row);
    }

    assert.equal(account?.row.email, email);
    assert.equal(account?.row.has_password, true);
    const counts = exportSections.map((section) => sections[section]?.length);
    assert.deepEqual(counts, [2, 1, 2, 2, 1, 0]);
    assert.deepEqual(sections.usage, [{ period: PERIOD.name, units: 2 }]);
    const text = JSON.stringify([account, sections]);
    for (const digest of [keyHash, session.tokenHash, "$argon2id$", other.accountId, other.email]) {
      assert.ok(!text.includes(digest), digest);
    }
  });

  test("an export is recorded, and one of an unknown account is not", async (database) => {
    const [store, engine] = [database.openStore(), database.openEngine()];
    const { accountId, email } = await newAda(store);
    const before = (await contentsOf(engine)).events?.length ?? 0;

    assert.equal((await store.administration.beginExport(accountId, BY))?.row.email, email);
    assert.equal(await store.administration.beginExport(newAccount().id, BY), undefined);

    assert.equal((await actionsOf(store, accountId)).at(-1), "account.exported");
    assert.equal((await contentsOf(engine)).events?.length, before + 1);
  });

  test("an export of a deleted account is none of the account that has its email now", async (database) => {
    const store = database.openStore();
    const { accountId, email } = await newAda(store);
    await store.administration.delete(email, BY);
    const next = { ...newAccount(), email };
    await store.accounts.create(next, newMailToken(), BY);

    assert.equal(await store.administration.beginExport(accountId, BY), undefined);

    assert.ok(!(await actionsOf(store, next.id)).includes("account.exported"));
    assert.ok(!(await actionsOf(store, accountId)).includes("account.exported"));
  });

  test("an export's pages continue after a place", async (database) => {
    const store = database.openStore();
    const { accountId, key, second } = await newAda(store);
    const [first] = await store.administration.section("api_keys", accountId, "", 1);
    const [next] = await store.administration.section("api_keys", accountId, first?.place ?? "", 1);
    const rest = await store.administration.section("api_keys", accountId, next?.place ?? "", 1);
    assert.deepEqual([first?.row.id, next?.row.id, rest], [key.id, second.id, []]);
  });
}
