import assert from "node:assert/strict";
import { sessionRequired } from "../../../src/shared/failure.ts";
import type { Origin, OwnerOrigin } from "../../../src/shared/origin.ts";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  bySession,
  contentsOf,
  KEY_LIMITS,
  NOW,
  newCustomer,
  newKey,
  newRegistration,
  newSession,
  type StoreTest,
  UNCHANGED,
} from "./database.ts";

const END = "2026-11-22T12:00:00.000Z";

/** An account with a key and two sessions. */
async function newOwner(store: Store) {
  const customer = await newCustomer(store, 10);
  const sessions = [newSession(customer.accountId), newSession(customer.accountId)] as const;
  for (const session of sessions) await store.sessions.create(session, UNCHANGED, BY);
  return { ...customer, session: sessions[0], other: sessions[1] };
}

type Owner = Awaited<ReturnType<typeof newOwner>>;

/** Each change of an owner that an operator can make, too. */
const shared = [
  (store, { accountId }, by) => store.keys.create(newKey(accountId), KEY_LIMITS, by),
  (store, { accountId, key }, by) => store.keys.revoke(accountId, key.id, by),
  (store, { accountId }, by) => store.accounts.setQuotaMails(accountId, false, by),
  (store, { accountId }, by) => store.administration.beginExport(accountId, by),
  (store, { email }, by) => store.administration.delete(email, by),
] satisfies ((store: Store, owner: Owner, by: Origin) => Promise<unknown>)[];

const changes: ((store: Store, owner: Owner, by: OwnerOrigin) => Promise<unknown>)[] = [
  (store, { other }, by) => store.sessions.endOne(other.id, by),
  (store, _, by) => store.sessions.endOthers(by),
  (store, _, by) => store.sessions.end(by),
  ...shared,
];

const endings: Record<string, (store: Store, owner: Owner) => Promise<unknown>> = {
  "its session has ended": (store, { session }) => store.sessions.end(bySession(session)),
  "its session has expired": async () => undefined,
  "it is suspended": (store, { email }) => store.administration.suspend(email, BY),
  "it is deleted": (store, { email }) => store.administration.delete(email, BY),
};

export function settingsSuite(test: StoreTest): void {
  for (const [what, end] of Object.entries(endings)) {
    test(`an account's owner changes nothing when ${what}`, async (store, engine) => {
      const owner = await newOwner(store);
      await end(store, owner);
      const before = await contentsOf(engine);
      const by = bySession(owner.session, what.includes("expired") ? END : NOW);

      for (const change of changes) {
        await assert.rejects(change(store, owner, by), sessionRequired, String(change));
      }

      assert.deepEqual(await contentsOf(engine), before);
    });
  }

  test("an operator changes a suspended account, and an owner changes its own", async (store, engine) => {
    const suspended = await newOwner(store);
    await store.administration.suspend(suspended.email, BY);
    for (const change of changes) {
      const owner = await newOwner(store);
      const before = await contentsOf(engine);
      await change(store, owner, bySession(owner.session));
      assert.notDeepEqual(await contentsOf(engine), before, String(change));
    }
    for (const change of shared) {
      const before = await contentsOf(engine);
      await change(store, suspended, BY);
      assert.notDeepEqual(await contentsOf(engine), before, String(change));
    }
  });

  test("a deleted account's mails about its quota cannot be turned off", async (store, engine) => {
    const { account } = await newRegistration(store);
    await engine.query("UPDATE accounts SET deleted_at = $1", NOW);
    const before = await contentsOf(engine);

    await store.accounts.setQuotaMails(account.id, false, BY);

    assert.deepEqual(await contentsOf(engine), before);
  });
}
