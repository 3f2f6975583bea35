import assert from "node:assert/strict";
import {
  BY,
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
  test("calls are counted per key in a window that starts with its first call", async (store) => {
    assert.deepEqual(await store.authWindows.countAttempt(["ip", "ip ada"], NOW, END), [
      { scope: "ip", calls: 1, endsAt: END },
      { scope: "ip ada", calls: 1, endsAt: END },
    ]);
    assert.deepEqual(await store.authWindows.countAttempt(["ip", "ip bob"], LATER, LATER_END), [
      { scope: "ip", calls: 2, endsAt: END },
      { scope: "ip bob", calls: 1, endsAt: LATER_END },
    ]);
  });

  test("a new window starts at the exact end of the previous one", async (store) => {
    await store.authWindows.countAttempt(["ip"], NOW, END);

    const before = await store.authWindows.countAttempt(
      ["ip"],
      "2026-11-21T12:14:59.999Z",
      LATER_END,
    );
    const after = await store.authWindows.countAttempt(["ip"], END, LATER_END);

    assert.deepEqual(before, [{ scope: "ip", calls: 2, endsAt: END }]);
    assert.deepEqual(after, [{ scope: "ip", calls: 1, endsAt: LATER_END }]);
  });

  test("reading current windows does not count a call", async (store) => {
    await store.authWindows.countAttempt(["ip", "ip ada"], NOW, END);
    await store.authWindows.countAttempt(["ip"], NOW, END);
    const open = [
      { scope: "ip", calls: 2, endsAt: END },
      { scope: "ip ada", calls: 1, endsAt: END },
    ];

    assert.deepEqual(await store.authWindows.current(["ip", "never", "ip ada"], LATER), open);
    assert.deepEqual(await store.authWindows.current(["ip", "ip ada"], LATER), open);
    assert.deepEqual(await store.authWindows.current(["ip", "ip ada"], END), []);
  });

  test("concurrent calls on two nodes are all counted", async (here, _, there) => {
    const stores = [here, there] as const;
    const windows = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        stores[index % 2]?.authWindows.countAttempt(["ip"], NOW, END),
      ),
    );

    const counts = windows.map((one) => one?.[0]?.calls ?? 0).sort((a, b) => a - b);
    assert.deepEqual(
      counts,
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });
}

export function planSuite(test: StoreTest): void {
  test("plans can be added and changed and are listed by their units", async (store) => {
    await store.plans.set({ name: "pro", unitsPerPeriod: 1_000_000_000_000 }, BY);
    await store.plans.set({ name: "none", unitsPerPeriod: 0 }, BY);
    await store.plans.set({ name: "also", unitsPerPeriod: 1000 }, BY);
    await store.plans.set({ name: "none", unitsPerPeriod: 7 }, BY);

    assert.deepEqual(await store.plans.list(), [
      { name: "none", unitsPerPeriod: 7 },
      { name: "also", unitsPerPeriod: 1000 },
      { name: "free", unitsPerPeriod: 1000 },
      { name: "pro", unitsPerPeriod: 1_000_000_000_000 },
    ]);
  });

  test("a plan with negative units is rejected and the stored plan is unchanged", async (store) => {
    await assert.rejects(store.plans.set({ name: "free", unitsPerPeriod: -1 }, BY));

    assert.deepEqual(await store.plans.list(), [{ name: "free", unitsPerPeriod: 1000 }]);
  });

  test("usage contains the plan, its units and the units used in the requested period", async (store) => {
    const { accountId, plan, keyHash } = await newCustomer(store, 3);
    const idle = newAccount();
    await store.accounts.create(idle, newMailToken(), BY);
    await store.metering.read(newRead(keyHash));
    await store.metering.read(newRead(keyHash, { time: "2026-12-01T00:00:00.000Z" }));
    await store.metering.read(newRead(keyHash, { time: "2026-12-31T23:59:59.999Z" }));

    const report = { plan, quotaUnits: 3 };
    assert.deepEqual(await store.usage.ofPeriod(accountId, "2026-11"), { ...report, usedUnits: 1 });
    assert.deepEqual(await store.usage.ofPeriod(accountId, "2026-12"), { ...report, usedUnits: 2 });
    assert.deepEqual(await store.usage.ofPeriod(accountId, "2027-01"), { ...report, usedUnits: 0 });
    assert.deepEqual(await store.usage.ofPeriod(idle.id, "2026-11"), {
      plan: "free",
      quotaUnits: 1000,
      usedUnits: 0,
    });
  });

  test("an unknown account has no usage", async (store) => {
    assert.equal(await store.usage.ofPeriod(newId(), "2026-11"), undefined);
  });
}
