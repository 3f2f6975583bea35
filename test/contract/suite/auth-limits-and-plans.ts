import assert from "node:assert/strict";
import {
  NOW,
  newAccount,
  newCustomer,
  newId,
  newMailToken,
  newRead,
  type StoreTest,
} from "./database.ts";

const END = "2026-11-21T12:15:00.000Z";
const LATER = "2026-11-21T12:10:00.000Z";
const LATER_END = "2026-11-21T12:25:00.000Z";

export function authLimitSuite(test: StoreTest): void {
  test("calls are counted by scope in a window that its first call opens", async (database) => {
    const store = database.openStore();

    assert.deepEqual(await store.countAuthAttempt(["ip", "ip ada"], NOW, END), [
      { scope: "ip", calls: 1, endsAt: END },
      { scope: "ip ada", calls: 1, endsAt: END },
    ]);
    assert.deepEqual(await store.countAuthAttempt(["ip", "ip bob"], LATER, LATER_END), [
      { scope: "ip", calls: 2, endsAt: END },
      { scope: "ip bob", calls: 1, endsAt: LATER_END },
    ]);
  });

  test("a window that is over starts anew, at the very moment of its end", async (database) => {
    const store = database.openStore();
    await store.countAuthAttempt(["ip"], NOW, END);

    const before = await store.countAuthAttempt(["ip"], "2026-11-21T12:14:59.999Z", LATER_END);
    const after = await store.countAuthAttempt(["ip"], END, LATER_END);

    assert.deepEqual(before, [{ scope: "ip", calls: 2, endsAt: END }]);
    assert.deepEqual(after, [{ scope: "ip", calls: 1, endsAt: LATER_END }]);
  });

  test("the open windows of some scopes are read without being counted", async (database) => {
    const store = database.openStore();
    await store.countAuthAttempt(["ip", "ip ada"], NOW, END);
    await store.countAuthAttempt(["ip"], NOW, END);
    const open = [
      { scope: "ip", calls: 2, endsAt: END },
      { scope: "ip ada", calls: 1, endsAt: END },
    ];

    assert.deepEqual(await store.currentAuthWindows(["ip", "never", "ip ada"], LATER), open);
    assert.deepEqual(await store.currentAuthWindows(["ip", "ip ada"], LATER), open);
    assert.deepEqual(await store.currentAuthWindows(["ip", "ip ada"], END), []);
  });

  test("no call is lost when many come at once, on two nodes", async (database) => {
    const stores = [database.openStore(), database.openStore()];

    const windows = await Promise.all(
      Array.from({ length: 50 }, (_, turn) => stores[turn % 2]?.countAuthAttempt(["ip"], NOW, END)),
    );

    const counts = windows.map((one) => one?.[0]?.calls ?? 0).sort((a, b) => a - b);
    assert.deepEqual(
      counts,
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  test("without a scope nothing is counted", async (database) => {
    assert.deepEqual(await database.openStore().countAuthAttempt([], NOW, END), []);
  });
}

export function planSuite(test: StoreTest): void {
  test("a new store has the free plan with 1,000 units", async (database) => {
    const plans = await database.openStore().listPlans();
    assert.deepEqual(plans, [{ name: "free", unitsPerPeriod: 1000 }]);
  });

  test("plans are added, changed and listed by their units", async (database) => {
    const store = database.openStore();
    await store.setPlan({ name: "pro", unitsPerPeriod: 1_000_000_000_000 });
    await store.setPlan({ name: "none", unitsPerPeriod: 0 });
    await store.setPlan({ name: "also", unitsPerPeriod: 1000 });
    await store.setPlan({ name: "none", unitsPerPeriod: 7 });

    assert.deepEqual(await store.listPlans(), [
      { name: "none", unitsPerPeriod: 7 },
      { name: "also", unitsPerPeriod: 1000 },
      { name: "free", unitsPerPeriod: 1000 },
      { name: "pro", unitsPerPeriod: 1_000_000_000_000 },
    ]);
  });

  test("a plan below zero units is refused and the plan stays as it was", async (database) => {
    const store = database.openStore();

    await assert.rejects(store.setPlan({ name: "free", unitsPerPeriod: -1 }));

    assert.deepEqual(await store.listPlans(), [{ name: "free", unitsPerPeriod: 1000 }]);
  });

  test("usage tells the plan, its units and those used in the period asked for", async (database) => {
    const store = database.openStore();
    const { accountId, plan, keyHash } = await newCustomer(store, 3);
    const idle = newAccount();
    await store.createAccount(idle, newMailToken());
    await store.read(newRead(keyHash));
    await store.read(newRead(keyHash, { time: "2026-12-01T00:00:00.000Z" }));
    await store.read(newRead(keyHash, { time: "2026-12-31T23:59:59.999Z" }));

    const report = { plan, quotaUnits: 3 };
    assert.deepEqual(await store.usageOf(accountId, "2026-11"), { ...report, usedUnits: 1 });
    assert.deepEqual(await store.usageOf(accountId, "2026-12"), { ...report, usedUnits: 2 });
    assert.deepEqual(await store.usageOf(accountId, "2027-01"), { ...report, usedUnits: 0 });
    assert.deepEqual(await store.usageOf(idle.id, "2026-11"), {
      plan: "free",
      quotaUnits: 1000,
      usedUnits: 0,
    });
  });

  test("an account that is not there has no usage", async (database) => {
    assert.equal(await database.openStore().usageOf(newId(), "2026-11"), undefined);
  });
}
