import assert from "node:assert/strict";
import { accountUnitsJson } from "../../../src/customers/billing/json.ts";
import { billingPeriodAt } from "../../../src/customers/billing/rules.ts";
import { readUnitsByAccount } from "../../../src/customers/billing/usage.ts";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import type { Store } from "../../support/stores.ts";
import { eventsOf, newCustomer } from "./customers.ts";
import { contentsOf, type StoreTest, valuesOf } from "./database.ts";
import { byAt, NOW, newId, PERIOD } from "./origins.ts";
import { newRead } from "./rates-stored.ts";

const OCTOBER = "2026-10-10T00:00:00.000Z";
const DECEMBER = "2026-12-01T00:00:00.000Z";

const grant = async (
  ...[store, email, units, reference, expiresAt]: [Store, string, number, string, string?]
) => (await store.grants.add(email, { units, reference, expiresAt }, byAt(NOW)))?.id;

/** Stores what a read would have: units of a grant in a period. */
const use = (engine: Engine, id: string | undefined, units: number, period = PERIOD.name) =>
  engine.query("INSERT INTO granted_usage VALUES ($1, $2, $3)", id ?? "", period, units);

async function read(store: Store, { keyHash }: { keyHash: string }, count: number, time = NOW) {
  for (let done = 0; done < count; done += 1) {
    await store.metering.read(newRead(keyHash, { time }));
  }
}

/** The export's row of an account, without what the other tests check. */
async function exported(store: Store, accountId: string, time: string) {
  const pages = await Array.fromAsync(readUnitsByAccount(store, billingPeriodAt(Date.parse(time))));
  const row = pages.flat().find((account) => account.accountId === accountId);
  const { account_id: _, email: __, ...rest } = accountUnitsJson(row ?? assert.fail());
  return Object.values(rest).join(" ");
}

export function grantSuite(test: StoreTest): void {
  test("granted units are part of the quota while they can be used, and where they were", async (store, engine, other) => {
    const customer = await newCustomer(store, 10);
    const { accountId, email, plan } = customer;
    const ending = await grant(store, email, 20, "ending", DECEMBER);
    const lasting = await grant(other, email, 300, "lasting");
    await use(engine, ending, 5);
    await use(engine, lasting, 100, "2026-10");
    await read(store, customer, 3);
    const quotaAt = async (now: string) =>
      (await other.usage.ofPeriod(accountId, now.slice(0, 7), now))?.quotaUnits;

    assert.equal(await quotaAt(NOW), 10 + 20 + 200);
    assert.equal(await quotaAt(DECEMBER), 10 + 200);
    assert.equal((await other.accounts.summarize(NOW, email))?.quota.quotaUnits, 230);
    assert.equal((await store.grants.revoke(lasting ?? "", byAt(NOW)))?.revokedAt, NOW);
    assert.equal(await quotaAt(NOW), 10 + 20);
    assert.equal(await quotaAt(OCTOBER), 10 + 15 + 100);
    assert.equal((await store.grants.revoke(lasting ?? "", byAt(DECEMBER)))?.revokedAt, NOW);
    assert.equal(await store.grants.revoke(newId(), byAt(NOW)), undefined);
    const usage = await store.usage.ofPeriod(accountId, "2026-11", NOW);
    assert.deepEqual(usage, { plan, quotaUnits: 30, usedUnits: 3 });

    const [first, ...rest] = await store.grants.list(accountId, "", 1);
    assert.deepEqual(
      [first, rest],
      [
        {
          ...{ id: ending, units: 20, usedUnits: 5, reference: "ending", grantedAt: NOW },
          ...{ expiresAt: DECEMBER, revokedAt: undefined },
        },
        [],
      ],
    );
    const page = await store.grants.list(accountId, ending ?? "", 9);
    assert.deepEqual(valuesOf(page, "id"), [lasting]);
    const events = (await eventsOf(store, accountId)).filter(({ action }) => /^units/.test(action));
    assert.deepEqual(
      events.map(({ action, details }) => [action, details.reference]),
      [
        ["units.granted", "ending"],
        ["units.granted", "lasting"],
        ["units.revoked", "lasting"],
      ],
    );
    assert.deepEqual(events[2]?.details, {
      grant_id: lasting,
      units: 300,
      used_units: 100,
      reference: "lasting",
    });
  });

  test("a quota of its own counts until its end, then the plan's, and mails follow it", async (store) => {
    const { accountId, email } = await newCustomer(store, 10);
    const quotaAt = async (now: string) =>
      (await store.usage.ofPeriod(accountId, PERIOD.name, now))?.quotaUnits;
    const end = "2026-11-25T00:00:00.000Z";

    await store.accounts.setQuota(email, { units: 25, until: end }, byAt(NOW));

    assert.equal(await quotaAt("2026-11-24T23:59:59.999Z"), 25);
    assert.equal(await quotaAt(end), 10);
    assert.deepEqual((await store.accounts.summarize(end, email))?.ownQuota, {
      units: 25,
      until: end,
    });
    await store.accounts.setQuota(email, { units: 0, until: undefined }, byAt(NOW));
    assert.equal(await quotaAt(DECEMBER), 0);
    await store.accounts.setQuota(email, undefined, byAt(NOW));
    assert.equal(await quotaAt(DECEMBER), 10);
    const events = (await eventsOf(store, accountId)).slice(-3).map(({ details }) => details);
    assert.deepEqual(events, [
      { quota_units: 25, quota_until: end },
      { quota_units: 0 },
      { quota: "plan" },
    ]);
  });

  test("nothing is granted to or set on an unknown account", async (store, engine) => {
    const before = await contentsOf(engine);

    assert.equal(await grant(store, "nobody@example.org", 1, "x"), undefined);
    assert.equal(await store.accounts.setQuota("nobody@example.org", undefined, byAt(NOW)), false);
    assert.equal(
      await store.accounts.setCustomerNumber("nobody@example.org", "1", byAt(NOW)),
      false,
    );

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("an export has the plan and quota of the period's end, whatever was changed since", async (store, engine) => {
    const customer = await newCustomer(store, 10);
    const { accountId, email, plan } = customer;
    await engine.query("UPDATE accounts SET created_at = $1", OCTOBER);
    const at = (month: number, day: number) =>
      byAt(new Date(Date.UTC(2026, month - 1, day)).toISOString());
    await read(store, customer, 4, OCTOBER);
    const id = await grant(store, email, 9, "invoice 1");
    await use(engine, id, 3, "2026-10");
    await use(engine, await grant(store, email, 9, "invoice 2"), 1, "2026-10");
    // Changed twice in November, once in December, and the plan deleted in January.
    await store.accounts.setQuota(
      email,
      { units: 500, until: "2026-11-30T23:59:59.999Z" },
      at(11, 3),
    );
    await store.accounts.setQuota(email, { units: 600, until: DECEMBER }, at(11, 30));
    await store.plans.set({ name: plan, unitsPerPeriod: 20 }, at(12, 1));
    await store.plans.set({ name: plan, unitsPerPeriod: 30 }, at(12, 31));
    await store.accounts.setPlan(email, "free", at(13, 2));
    assert.equal(await store.plans.remove(plan, 9, at(13, 3)), "removed");
    await store.accounts.setCustomerNumber(email, "K-1", at(13, 4));

    for (const [time, row] of [
      [OCTOBER, `${plan} 10 4 0 4 invoice 1; invoice 2 K-1`],
      [NOW, `${plan} 600 0 0 0  K-1`],
      [DECEMBER, `${plan} 30 0 0 0  K-1`],
      ["2027-01-31T00:00:00.000Z", "free 1000 0 0 0  K-1"],
    ] as const) {
      assert.equal(await exported(store, accountId, time), row, time);
    }
    await store.accounts.setQuota(email, { units: 7, until: undefined }, at(14, 1));
    assert.equal(await exported(store, accountId, DECEMBER), `${plan} 30 0 0 0  K-1`);
    assert.equal(await exported(store, accountId, "2027-02-01T00:00:00.000Z"), "free 7 0 0 0  K-1");
  });
}
