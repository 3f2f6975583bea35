import assert from "node:assert/strict";
import { sessionRequired } from "../../../src/platform/shared/failure.ts";
import type { Store } from "../../support/stores.ts";
import {
  accepts,
  eventsOf,
  KEY_LIMITS,
  newAccount,
  newCustomer,
  newInvitation,
  newKey,
  newMailToken,
  newRegistration,
  newResetToken,
  newSession,
  UNCHANGED,
  unitsOfDays,
  usedUnits,
} from "./customers.ts";
import { contentsOf, type StoreTest, valuesOf } from "./database.ts";
import { BY, byAt, byOperatorAt, bySession, NOW, PERIOD } from "./origins.ts";
import { EUR_USD, newRead, storeRates } from "./rates-stored.ts";

const LATER = "2026-11-21T12:30:00.000Z";
const OPERATOR = byOperatorAt(LATER);

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
  valuesOf(await eventsOf(store, accountId), "action");

export function administrationSuite(test: StoreTest): void {
  test("a suspended account's keys, session and log-ins are rejected until it is resumed", async (here, _, there) => {
    const { accountId, email, keyHash, second, session } = await newAda(here);
    const other = await newCustomer(here, 10);
    await there.metering.read(newRead(keyHash));

    assert.equal(await here.administration.suspend(email, OPERATOR), "changed");

    for (const [nth, store] of [here, there].entries()) {
      const hashes = [keyHash, other.keyHash, second.keyHash, other.keyHash];
      const reads = [...hashes.map((hash) => newRead(hash)), newRead(keyHash, { pair: "" })];
      const outcomes = await Promise.all(reads.map((read) => store.metering.read(read)));
      const used = outcomes.map((outcome) => outcome?.quota?.usedUnits);
      assert.deepEqual(used, [undefined, 2 * nth + 1, undefined, 2 * nth + 2, undefined]);
      assert.equal(await store.keys.findAccount(keyHash, NOW), undefined);
      assert.equal(await store.sessions.findAccount(session.tokenHash, NOW), undefined);
      assert.equal(await store.sessions.create(newSession(accountId), UNCHANGED, BY), false);
    }
    assert.equal(await usedUnits(here, accountId), 3);
    assert.equal((await here.accounts.findByEmail(email))?.suspendedAt, LATER);

    assert.equal(await there.administration.resume(email, OPERATOR), "changed");

    for (const store of [here, there]) {
      assert.equal(await store.keys.findAccount(keyHash, NOW), accountId);
      assert.equal(await store.sessions.findAccount(session.tokenHash, NOW), accountId);
    }
    assert.equal(typeof (await here.metering.read(newRead(keyHash)))?.found, "object");
    assert.equal(await usedUnits(here, accountId), 4);
    const actions = await actionsOf(here, accountId);
    assert.deepEqual(actions.slice(-2), ["account.suspended", "account.resumed"]);
  });

  test("a second suspension, and a resumption without one, change and record nothing", async (store, engine) => {
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

  test("an operator ends every session of one account, and creates a link that resets its password", async (store) => {
    const [ada, bob] = [await newAda(store), await newAda(store)];
    await store.sessions.create(newSession(ada.accountId), UNCHANGED, BY);

    assert.equal(await store.administration.endSessions(ada.email, OPERATOR), 2);
    assert.equal(await store.administration.endSessions(ada.email, OPERATOR), 0);

    assert.equal(await store.sessions.findAccount(ada.session.tokenHash, NOW), undefined);
    assert.equal(await store.sessions.findAccount(bob.session.tokenHash, NOW), bob.accountId);
    assert.ok(await accepts(store, ada));
    const { tokenHash, expiresAt } = newResetToken();
    const created = { isSuspended: false };
    const create = (email: string) =>
      store.administration.createResetToken(email, { tokenHash, expiresAt }, OPERATOR);
    assert.deepEqual(await create(ada.email), created);
    assert.equal(await create("nobody@example.org"), undefined);
    assert.equal(await store.mailTokens.findEmail(tokenHash, "password_reset", NOW), ada.email);
    const actions = ["sessions.ended", "password.reset_link_created"];
    assert.deepEqual((await actionsOf(store, ada.accountId)).slice(-2), actions);
  });

  test("withdrawn invitations are void and leave neither token nor email; others stay", async (store, engine) => {
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
  test("a deleted account leaves only its id, plan, quota, number, grants, times, units, keys' ids and digests, and bare events", async (store, engine) => {
    const { accountId, email, plan, key, second, session } = await newAda(store);
    await store.plans.set({ name: plan, unitsPerPeriod: 2 }, BY);
    await store.quotaNotices.write(accountId, PERIOD, BY);
    assert.equal((await contentsOf(engine)).quota_notices?.length, 2);
    await store.administration.suspend(email, OPERATOR);
    await store.accounts.setQuota(email, { units: 5, until: LATER }, OPERATOR);
    await store.accounts.setCustomerNumber(email, "K-1001", OPERATOR);
    const grant = { units: 7, reference: "invoice 4711", expiresAt: undefined };
    await store.grants.add(email, grant, OPERATOR);

    assert.equal(await store.administration.delete(email, OPERATOR), true);

    assert.equal(await store.accounts.findById(accountId), undefined);
    const contents = await contentsOf(engine);
    // The plan is this test's own, and was set on nobody's behalf.
    delete contents.plans;
    delete contents.plan_terms;
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
    assert.deepEqual(
      withAccount.sort(),
      ["account_terms", "accounts", "api_keys", "daily_usage", "events", "period_usage"].concat(
        "unit_grants",
      ),
    );
    assert.equal((await store.grants.list(accountId, "", 9))[0]?.reference, "invoice 4711");
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
        quota_units: 5,
        quota_until: LATER,
        customer_number: "K-1001",
        thresholds: null,
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

  test("deletions during reads, key creations and log-ins leave no valid credential, and units add up", async (here, _, there) => {
    for (let round = 0; round < 5; round += 1) {
      const { accountId, email, keyHash, session } = await newAda(here);
      const late = newKey(accountId, { keyPrefix: "svc_live_00000000" });
      const opened = newSession(accountId);
      const byOperator = newKey(accountId, { keyPrefix: "svc_live_11111111" });

      const [outcomes] = await Promise.all([
        Promise.all(Array.from({ length: 20 }, () => there.metering.read(newRead(keyHash)))),
        there.keys
          .create(late, KEY_LIMITS, bySession(session))
          .catch((error) => assert.equal(error, sessionRequired)),
        there.keys.create(byOperator, KEY_LIMITS, OPERATOR),
        there.sessions.create(opened, UNCHANGED, BY),
        here.administration.delete(email, OPERATOR),
      ]);

      for (const { keyHash: created } of [late, byOperator]) {
        assert.equal(await there.keys.findAccount(created, NOW), undefined);
      }
      const tooLate = newKey(accountId);
      assert.equal(await there.keys.create(tooLate, KEY_LIMITS, OPERATOR), "account_deleted");
      assert.equal(await there.keys.findAccount(tooLate.keyHash, NOW), undefined);
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
  test("an export of a deleted account is none of the account that has its email now", async (store) => {
    const { accountId, email } = await newAda(store);
    await store.administration.delete(email, BY);
    const next = { ...newAccount(), email };
    await store.accounts.create(next, newMailToken(), BY);

    assert.equal(await store.administration.beginExport(accountId, BY), undefined);

    assert.ok(!(await actionsOf(store, next.id)).includes("account.export_begun"));
    assert.ok(!(await actionsOf(store, accountId)).includes("account.export_begun"));
  });

  test("an export's pages continue after a place", async (store) => {
    const { accountId, key, second } = await newAda(store);
    const [first] = await store.administration.section("api_keys", accountId, "", 1);
    const [next] = await store.administration.section("api_keys", accountId, first?.place ?? "", 1);
    const rest = await store.administration.section("api_keys", accountId, next?.place ?? "", 1);
    assert.deepEqual([first?.row.id, next?.row.id, rest], [key.id, second.id, []]);
  });
}

export function auditSuite(test: StoreTest): void {
  test("an action that changes nothing, or fails, writes no event", async (store) => {
    const { accountId, key, keyHash } = await newCustomer(store, 10);
    await store.keys.revoke(accountId, key.id, BY);
    const before = await eventsOf(store);

    assert.equal(await store.keys.revoke(accountId, key.id, BY), false);
    assert.equal(await store.accounts.setPlan("nobody@example.org", "free", BY), false);
    await store.plans.set({ name: "free", unitsPerPeriod: 1000 }, BY);
    const limits = { ...KEY_LIMITS, active: 0 };
    assert.equal(await store.keys.create(newKey(accountId), limits, BY), "active");
    await assert.rejects(store.keys.create(newKey(accountId, { keyHash }), KEY_LIMITS, BY));

    assert.deepEqual(await eventsOf(store), before);
  });

  test("events are listed by time in pages, of all accounts or of one, newest first on request", async (store) => {
    const [ada, bob] = [await newRegistration(store), await newRegistration(store)];
    for (const minute of [3, 1, 2]) {
      const origin = byAt(`2026-11-21T12:0${minute}:00.000Z`);
      const details = { minute };
      await store.audit.record("account.exported", origin, { accountId: ada.account.id, details });
    }
    const minutesOf = (events: readonly { readonly details: object }[]) =>
      events.flatMap(({ details }) => ("minute" in details ? [details.minute] : []));

    const page = await store.audit.list({ after: { at: NOW, id: "z" }, limit: 2 });
    const last = page.at(-1);
    const rest = await store.audit.list({ after: last ?? { at: "", id: "" }, limit: 2 });
    assert.deepEqual([minutesOf(page), minutesOf(rest)], [[1, 2], [3]]);

    const [own, ...none] = await eventsOf(store, bob.account.id);
    assert.deepEqual([own?.email, none], [bob.email, []]);

    const newest = await store.audit.ofAccount(ada.account.id, undefined, 2);
    assert.deepEqual(minutesOf(newest), [3, 2]);
    const older = await store.audit.ofAccount(ada.account.id, newest.at(-1)?.id, 2);
    assert.deepEqual([minutesOf(older), older.length], [[1], 2]);
    assert.deepEqual(await store.audit.ofAccount(ada.account.id, own?.id, 2), []);
  });

  test("only events before a time are removed", async (store) => {
    for (const at of ["2025-10-17T11:59:59.999Z", "2025-10-17T12:00:00.000Z", NOW]) {
      await store.audit.record("account.exported", byAt(at));
    }

    await Array.fromAsync(store.cleanup.removeEvents("2025-10-17T12:00:00.000Z"));

    assert.deepEqual(valuesOf(await eventsOf(store), "at"), ["2025-10-17T12:00:00.000Z", NOW]);
  });
}
