import assert from "node:assert/strict";
import type { SessionUsage } from "../../../src/billing/store.ts";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  EUR_USD,
  NOW,
  newAccount,
  newHash,
  newKey,
  newMailToken,
  newRead,
  newSession,
  type StoreTest,
  storeRates,
  UNCHANGED,
} from "./database.ts";

const END = "2026-11-22T12:00:00.000Z";
const PERIOD = "2026-11";

async function newUser(store: Store, plan = "free") {
  const account = { ...newAccount(), plan };
  await store.accounts.create(account, newMailToken(), BY);
  const session = newSession(account.id, { createdAt: NOW, expiresAt: END });
  await store.sessions.create(session, UNCHANGED, BY);
  return { ...session, email: account.email };
}

/** Looks up several sessions in one search. */
async function usagesOf(
  store: Store,
  tokenHashes: readonly string[],
  times: { readonly now?: string; readonly issuedBy?: string; readonly period?: string } = {},
): Promise<readonly (SessionUsage | undefined)[]> {
  const { now = NOW, issuedBy = now, period = PERIOD } = times;
  return await store.sessionUsage.usageOfSessions({ tokenHashes, now, issuedBy, period });
}

const free = (accountId: string, usedUnits: number): SessionUsage => ({
  accountId,
  usage: { plan: "free", quotaUnits: 1000, usedUnits },
});

export function sessionUsageSuite(test: StoreTest): void {
  test("the usages of several sessions come in order, and none for an unknown one", async (database) => {
    const store = database.openStore();
    await store.plans.set({ name: "large", unitsPerPeriod: 5_000_000_000 }, BY);
    const [first, second] = [await newUser(store), await newUser(store, "large")];

    const { accountId } = second;
    const large = { accountId, usage: { plan: "large", quotaUnits: 5_000_000_000, usedUnits: 0 } };
    assert.deepEqual(await usagesOf(store, []), []);
    assert.deepEqual(
      await usagesOf(
        store,
        [second, first, second].map((one) => one.tokenHash).toSpliced(1, 0, newHash()),
      ),
      [large, undefined, free(first.accountId, 0), large],
    );
  });

  test("the units of reads are those committed, of the asked period only", async (database) => {
    const store = database.openStore();
    const { tokenHash, accountId } = await newUser(store);
    await storeRates(store, [EUR_USD]);
    const key = { ...newKey(accountId), sessionHash: tokenHash };
    await store.keys.create(key, { active: 10, perDay: 10, total: 10 }, BY);
    for (let units = 1; units <= 3; units += 1) {
      await store.metering.read(newRead(key.keyHash));
      assert.deepEqual(await usagesOf(store, [tokenHash]), [free(accountId, units)]);
    }
    assert.deepEqual(await usagesOf(store, [tokenHash], { period: "2026-12" }), [
      free(accountId, 0),
    ]);
  });

  test("a session that has expired, or was created later, has no usage", async (database) => {
    const store = database.openStore();
    const { tokenHash, accountId } = await newUser(store);
    const last = "2026-11-22T11:59:59.999Z";
    const before = "2026-11-21T11:59:59.999Z";

    for (let times = 0; times < 2; times += 1) {
      assert.deepEqual(await usagesOf(store, [tokenHash], { now: last }), [free(accountId, 0)]);
      assert.deepEqual(await usagesOf(store, [tokenHash], { now: END }), [undefined]);
      assert.deepEqual(await usagesOf(store, [tokenHash], { now: before }), [undefined]);
      assert.deepEqual(await usagesOf(store, [tokenHash], { now: before, issuedBy: NOW }), [
        free(accountId, 0),
      ]);
    }
  });

  test("changes by another process take effect at the next lookup", async (database) => {
    const [store, other] = [database.openStore(), database.openStore()];
    await store.plans.set({ name: "small", unitsPerPeriod: 5 }, BY);
    const { tokenHash, accountId, email } = await newUser(store);
    const look = async (by: Store) => (await usagesOf(by, [tokenHash]))[0];
    const assertSeen = async (expected: SessionUsage | undefined) => {
      for (const by of [store, other]) assert.deepEqual(await look(by), expected);
    };

    await assertSeen(free(accountId, 0));
    for (const by of [store, other]) {
      await by.accounts.setPlan(email, "small", BY);
      await assertSeen({ accountId, usage: { plan: "small", quotaUnits: 5, usedUnits: 0 } });
      await by.plans.set({ name: "small", unitsPerPeriod: 7 }, BY);
      await assertSeen({ accountId, usage: { plan: "small", quotaUnits: 7, usedUnits: 0 } });
      await by.accounts.setPlan(email, "free", BY);
      await assertSeen(free(accountId, 0));
      await by.plans.set({ name: "small", unitsPerPeriod: 5 }, BY);
    }
    await other.sessions.end(tokenHash, BY);
    await assertSeen(undefined);
  });

  test("suspending an account ends its sessions for every process at once", async (database) => {
    const [store, other] = [database.openStore(), database.openStore()];
    const { tokenHash, accountId, email } = await newUser(store);
    assert.deepEqual(await usagesOf(store, [tokenHash]), [free(accountId, 0)]);
    await other.administration.suspend(email, BY);
    assert.deepEqual(await usagesOf(store, [tokenHash]), [undefined]);
  });

  test("an account whose plan is not stored is told from an unknown session", async (database) => {
    const store = database.openStore();
    await store.plans.set({ name: "lost", unitsPerPeriod: 5 }, BY);
    const [lost, kept] = [await newUser(store, "lost"), await newUser(store)];
    await database.losePlan("lost");
    assert.deepEqual(await usagesOf(store, [lost.tokenHash, kept.tokenHash]), [
      { accountId: lost.accountId, usage: undefined },
      free(kept.accountId, 0),
    ]);
  });
}
