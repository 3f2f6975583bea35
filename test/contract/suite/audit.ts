import assert from "node:assert/strict";
import {
  BY,
  byAt,
  KEY_LIMITS,
  NOW,
  newCustomer,
  newKey,
  newRegistration,
  type StoreTest,
  valuesOf,
} from "./database.ts";

export function auditSuite(test: StoreTest): void {
  test("an action that changes nothing writes no event", async (store) => {
    const { accountId, key } = await newCustomer(store, 10);
    await store.keys.revoke(accountId, key.id, BY);
    const events = async () =>
      (await store.audit.list({ after: { at: "", id: "" }, limit: 100 })).length;
    const before = await events();

    assert.equal(await store.keys.revoke(accountId, key.id, BY), false);
    assert.equal(await store.accounts.setPlan("nobody@example.org", "free", BY), false);
    await store.plans.set({ name: "free", unitsPerPeriod: 1000 }, BY);
    const limits = { ...KEY_LIMITS, active: 0 };
    assert.equal(await store.keys.create(newKey(accountId), limits, BY), "active");

    assert.equal(await events(), before);
  });

  test("an event of an action that fails is not stored", async (store) => {
    const { accountId, keyHash } = await newCustomer(store, 10);
    const events = () => store.audit.list({ after: { at: "", id: "" }, limit: 10 });
    const before = await events();
    await assert.rejects(store.keys.create(newKey(accountId, { keyHash }), KEY_LIMITS, BY));
    assert.deepEqual(await events(), before);
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

    const accountId = bob.account.id;
    const [own, ...none] = await store.audit.list({
      accountId,
      after: { at: "", id: "" },
      limit: 9,
    });
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

    const left = await store.audit.list({ after: { at: "", id: "" }, limit: 10 });
    assert.deepEqual(valuesOf(left, "at"), ["2025-10-17T12:00:00.000Z", NOW]);
  });
}
