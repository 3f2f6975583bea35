import assert from "node:assert/strict";
import type { Store } from "../../support/stores.ts";
import {
  newAccount,
  newCustomer,
  newInvitation,
  newMailToken,
  newRegistration,
} from "./customers.ts";
import { contentsOf, onTwoNodes, type StoreTest } from "./database.ts";
import { BY, NOW, newId } from "./origins.ts";
import { newRead } from "./rates-stored.ts";

const END = "2026-11-21T12:15:00.000Z";
const LATER = "2026-11-21T12:10:00.000Z";
const LATER_END = "2026-11-21T12:25:00.000Z";

export function authLimitSuite(test: StoreTest): void {
  test("calls are counted per key in a window from its first call to its exact end, and reading counts none", async ({
    authWindows: { countAttempt, current },
  }) => {
    assert.deepEqual(await countAttempt(["ip", "ip ada"], NOW, END), [
      { scope: "ip", calls: 1, endsAt: END },
      { scope: "ip ada", calls: 1, endsAt: END },
    ]);
    const [ip, bob] = [
      { scope: "ip", calls: 2, endsAt: END },
      { scope: "ip bob", calls: 1, endsAt: LATER_END },
    ];
    assert.deepEqual(await countAttempt(["ip", "ip bob"], LATER, LATER_END), [ip, bob]);

    for (const _ of [1, 2]) {
      assert.deepEqual(await current(["ip", "never", "ip bob"], LATER), [ip, bob]);
    }
    assert.deepEqual(await current(["ip", "ip bob"], END), [bob]);
    const last = await countAttempt(["ip"], "2026-11-21T12:14:59.999Z", LATER_END);
    const next = await countAttempt(["ip"], END, LATER_END);
    assert.deepEqual(
      [...last, ...next],
      [
        { ...ip, calls: 3 },
        { ...ip, calls: 1, endsAt: LATER_END },
      ],
    );
  });

  test("after a clock was set back, no window ends later than one that starts now", async (store) => {
    await store.authWindows.countAttempt(["ip"], LATER, LATER_END);

    const back = await store.authWindows.countAttempt(["ip"], NOW, END);

    assert.deepEqual(back, [{ scope: "ip", calls: 2, endsAt: END }]);
  });

  test("concurrent calls on two nodes are all counted", async (here, _, there) => {
    const windows = await onTwoNodes([here, there], 50, (store) =>
      store.authWindows.countAttempt(["ip"], NOW, END),
    );

    const counts = windows.map((one) => one?.[0]?.calls ?? 0).sort((a, b) => a - b);
    assert.deepEqual(
      counts,
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });
}

export function planSuite(test: StoreTest): void {
  test("plans can be added and changed, not to negative units, and are listed by their units", async (store) => {
    await store.plans.set({ name: "pro", unitsPerPeriod: 1_000_000_000_000 }, BY);
    await store.plans.set({ name: "none", unitsPerPeriod: 0 }, BY);
    await store.plans.set({ name: "also", unitsPerPeriod: 1000 }, BY);
    await store.plans.set({ name: "none", unitsPerPeriod: 7 }, BY);
    await assert.rejects(store.plans.set({ name: "free", unitsPerPeriod: -1 }, BY));

    assert.deepEqual(await store.plans.list(), [
      { name: "none", unitsPerPeriod: 7 },
      { name: "also", unitsPerPeriod: 1000 },
      { name: "free", unitsPerPeriod: 1000 },
      { name: "pro", unitsPerPeriod: 1_000_000_000_000 },
    ]);
  });

  test("usage contains the plan, its units and the units used in the requested period", async (store) => {
    const { accountId, plan, keyHash } = await newCustomer(store, 3);
    const { account: idle } = await newRegistration(store);
    await store.metering.read(newRead(keyHash));
    await store.metering.read(newRead(keyHash, { time: "2026-12-01T00:00:00.000Z" }));
    await store.metering.read(newRead(keyHash, { time: "2026-12-31T23:59:59.999Z" }));

    const usageIn = (period: string, id = accountId) => store.usage.ofPeriod(id, period, NOW);
    const report = { plan, quotaUnits: 3 };
    assert.deepEqual(await usageIn("2026-11"), { ...report, usedUnits: 1 });
    assert.deepEqual(await usageIn("2026-12"), { ...report, usedUnits: 2 });
    assert.deepEqual(await usageIn("2027-01"), { ...report, usedUnits: 0 });
    const none = { plan: "free", quotaUnits: 1000, usedUnits: 0 };
    assert.deepEqual(await usageIn("2026-11", idle.id), none);
    assert.equal(await usageIn("2026-11", newId()), undefined);
  });
}

const COUNT_MAX = 1000;

/** What uses a plan, when only accounts do. */
const usedBy = (accounts: number) => ({ accounts, deletedAccounts: 0, invitations: 0 });

async function newAccounts(store: Store, count: number, plan: string) {
  const accounts = Array.from({ length: count }, () => newAccount({ plan }));
  for (const account of accounts) await store.accounts.create(account, newMailToken(), BY);
  return accounts;
}

const plansOf = async (store: Store) => (await store.plans.list()).map(({ name }) => name);

export function planRemovalSuite(test: StoreTest): void {
  test("a plan that no account uses is removed, and no other", async (store, engine) => {
    const { plan, accountId } = await newCustomer(store, 3);
    await store.plans.set({ name: "pro", unitsPerPeriod: 5 }, BY);

    assert.equal(await store.plans.remove("pro", COUNT_MAX, BY), "removed");

    const before = await contentsOf(engine);
    for (const name of ["pro", "none", "", "%", "FREE"]) {
      assert.equal(await store.plans.remove(name, COUNT_MAX, BY), "unknown", name);
    }
    assert.deepEqual(await contentsOf(engine), before);
    assert.deepEqual(await plansOf(store), [plan, "free"]);
    assert.equal((await store.usage.ofPeriod(accountId, "2026-11", NOW))?.quotaUnits, 3);
  });

  test("a plan stays while accounts, deleted ones or invitations use it, which are counted up to a limit", async (store, engine) => {
    await store.plans.set({ name: "pro", unitsPerPeriod: 5 }, BY);
    const invitation = newInvitation({ plan: "pro" });
    await store.invitations.create(invitation, BY);
    const uses = { accounts: 0, deletedAccounts: 0, invitations: 1 };
    const before = await contentsOf(engine);
    assert.deepEqual(await store.plans.remove("pro", COUNT_MAX, BY), uses);
    assert.deepEqual(await contentsOf(engine), before);
    await store.administration.withdrawInvitations(invitation.email, BY);
    assert.equal(await store.plans.remove("pro", COUNT_MAX, BY), "removed");

    await store.plans.set({ name: "pro", unitsPerPeriod: 5 }, BY);
    const [first, second, third] = await newAccounts(store, 3, "pro");
    assert.deepEqual(await store.plans.remove("pro", COUNT_MAX, BY), usedBy(3));
    assert.deepEqual(await store.plans.remove("pro", 2, BY), usedBy(2));
    for (const account of [first, second]) {
      await store.accounts.setPlan(account?.email ?? "", "free", BY);
    }
    assert.deepEqual(await store.plans.remove("pro", COUNT_MAX, BY), usedBy(1));
    await store.administration.delete(third?.email ?? "", BY);
    const deleted = { accounts: 0, deletedAccounts: 1, invitations: 0 };
    assert.deepEqual(await store.plans.remove("pro", COUNT_MAX, BY), deleted);
    assert.ok((await plansOf(store)).includes("pro"));
  });

  test("of twenty concurrent removals on two nodes, one removes the plan", async (here, _, there) => {
    await here.plans.set({ name: "pro", unitsPerPeriod: 5 }, BY);

    const outcomes = await onTwoNodes([here, there], 20, (store) =>
      store.plans.remove("pro", COUNT_MAX, BY),
    );

    assert.equal(outcomes.filter((outcome) => outcome === "removed").length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === "unknown").length, 19);
  });

  test("an account that moves to a plan while another node removes it keeps a stored plan", async (store, _, other) => {
    const [account] = await newAccounts(store, 1, "free");
    const email = account?.email ?? "";
    let moved = 0;

    for (let trial = 0; trial < 30; trial += 1) {
      await store.plans.set({ name: "pro", unitsPerPeriod: 5 }, BY);
      const moving = () => store.accounts.setPlan(email, "pro", BY);
      const removing = () => other.plans.remove("pro", COUNT_MAX, BY);
      const pair = trial % 2 === 0 ? [moving(), removing()] : [removing(), moving()];
      const [first, second] = await Promise.allSettled(pair);
      const [move, removal] = trial % 2 === 0 ? [first, second] : [second, first];

      // Exactly one of them succeeds, and the other one reports why.
      const plan = (await store.accounts.findByEmail(email))?.plan;
      if (move?.status === "fulfilled") {
        moved += 1;
        assert.equal(move.value, true);
        assert.deepEqual(removal, { status: "fulfilled", value: usedBy(1) });
        assert.equal(plan, "pro");
      } else {
        assert.match(String(move?.reason?.cause), /the plan "pro" is not stored/);
        assert.deepEqual(removal, { status: "fulfilled", value: "removed" });
        assert.equal(plan, "free");
      }
      assert.deepEqual(await store.plans.missing(), []);
      await store.accounts.setPlan(email, "free", BY);
    }
    assert.ok(moved > 0, "the removal was always first");
  });

  test("an account that is created on a plan while another node removes it has a stored plan", async (store, _, other) => {
    for (let trial = 0; trial < 20; trial += 1) {
      const plan = `pro-${trial}`;
      await store.plans.set({ name: plan, unitsPerPeriod: 5 }, BY);
      const account = newAccount({ plan });
      const [creation, removal] = await Promise.allSettled([
        store.accounts.create(account, newMailToken(), BY),
        other.plans.remove(plan, COUNT_MAX, BY),
      ]);

      const stored = await store.accounts.findByEmail(account.email);
      const isCreated = creation.status === "fulfilled";
      assert.deepEqual([isCreated, stored?.plan], isCreated ? [true, plan] : [false, undefined]);
      assert.deepEqual(removal, { status: "fulfilled", value: isCreated ? usedBy(1) : "removed" });
      assert.deepEqual(await store.plans.missing(), []);
    }
  });
}
