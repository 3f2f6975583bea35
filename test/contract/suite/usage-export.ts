import assert from "node:assert/strict";
import { readUnitsByAccount, readUnitsByKeyAndDay } from "../../../src/billing/export.ts";
import { billingPeriodAt } from "../../../src/billing/rules.ts";
import type { Engine } from "../../../src/storage/engine.ts";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  byAt,
  KEY_LIMITS,
  NOW,
  newAccount,
  newCustomer,
  newKey,
  newMailToken,
  newRead,
  PERIOD,
  type StoreTest,
} from "./database.ts";

const periodOf = (time: string) => billingPeriodAt(Date.parse(time));

async function read(store: Store, keyHash: string, ...times: readonly string[]): Promise<void> {
  for (const time of times) await store.metering.read(newRead(keyHash, { time }));
}

/** The export's rows: `<account id> <units>`. */
async function unitsByAccount(store: Store, period = PERIOD): Promise<string[]> {
  const rows = (await Array.fromAsync(readUnitsByAccount(store, period))).flat();
  return rows.map(({ accountId, usedUnits }) => `${accountId} ${usedUnits}`);
}

/** The export's rows: `<account id> <day> <key id> <units>`. */
async function unitsByKey(store: Store, period = PERIOD): Promise<string[]> {
  const rows = (await Array.fromAsync(readUnitsByKeyAndDay(store, period))).flat();
  return rows.map(({ accountId, day, keyId, units }) => `${accountId} ${day} ${keyId} ${units}`);
}

/** More accounts than a page of the export has, all but some without units. */
async function fill(engine: Engine, accounts: number) {
  const id = (nth: number) => `00000000-0000-7000-8000-${String(nth).padStart(12, "0")}`;
  await engine.transaction(function* () {
    for (let nth = 0; nth < accounts; nth += 1) {
      const values = [id(nth), `${nth}@example.org`, "", "free", NOW];
      const columns = "id, email, password_hash, plan, created_at";
      yield {
        sql: `INSERT INTO accounts (${columns}) VALUES ($1, $2, $3, $4, $5)`,
        parameters: values,
      };
    }
  });
  return id;
}

export function usageExportSuite(test: StoreTest): void {
  test("each account has its plan, quota and units of the period, in order of the id", async (store) => {
    const [first, second] = [await newCustomer(store, 10), await newCustomer(store, 20)];
    const idle = newAccount();
    await store.accounts.create(idle, newMailToken(), BY);
    await read(store, second.keyHash, NOW, NOW, "2026-12-01T00:00:00.000Z");

    const pages = await Array.fromAsync(readUnitsByAccount(store, PERIOD));

    const shared = { createdAt: NOW, deletedAt: undefined };
    const { accountId: firstId, email, plan } = first;
    assert.deepEqual(pages.flat(), [
      { ...shared, accountId: firstId, email, plan, quotaUnits: 10, usedUnits: 0 },
      {
        ...shared,
        accountId: second.accountId,
        email: second.email,
        plan: second.plan,
        quotaUnits: 20,
        usedUnits: 2,
      },
      {
        ...shared,
        accountId: idle.id,
        email: idle.email,
        plan: "free",
        quotaUnits: 1000,
        usedUnits: 0,
      },
    ]);
  });

  test("a period lists the accounts created before its end, and any that has units in it", async (store) => {
    const october = newAccount({ createdAt: "2026-10-31T23:59:59.999Z" });
    const november = newAccount({ createdAt: "2026-11-01T00:00:00.000Z" });
    for (const account of [october, november]) {
      await store.accounts.create(account, newMailToken(), BY);
    }
    const { accountId, keyHash } = await newCustomer(store, 10);

    const before = await unitsByAccount(store, periodOf("2026-10-01T00:00:00.000Z"));
    // By a node whose clock is behind.
    await read(store, keyHash, "2026-10-31T23:59:59.999Z");
    const after = await unitsByAccount(store, periodOf("2026-10-01T00:00:00.000Z"));

    assert.deepEqual(before, [`${october.id} 0`]);
    assert.deepEqual(after, [`${october.id} 0`, `${accountId} 1`]);
    assert.deepEqual(await unitsByAccount(store, periodOf("2026-09-30T00:00:00.000Z")), []);
    assert.equal((await unitsByAccount(store)).length, 3);
  });

  test("a deleted account is exported without its email where it has units", async (store) => {
    const { accountId, email, key, keyHash } = await newCustomer(store, 10);
    await read(store, keyHash, NOW);
    await store.administration.delete(email, BY);

    const [account, ...others] = (await Array.fromAsync(readUnitsByAccount(store, PERIOD))).flat();
    assert.deepEqual([account?.accountId, account?.email, others], [accountId, "", []]);
    assert.equal(account?.usedUnits, 1);
    const [day] = (await Array.fromAsync(readUnitsByKeyAndDay(store, PERIOD))).flat();
    assert.deepEqual([day?.keyId, day?.email, day?.keyPrefix, day?.units], [key.id, "", "", 1]);
    assert.deepEqual(await unitsByAccount(store, periodOf("2026-12-01T00:00:00.000Z")), []);
  });

  test("an account without units is exported up to the period of its deletion", async (store) => {
    const account = newAccount({ createdAt: "2026-10-05T00:00:00.000Z" });
    await store.accounts.create(account, newMailToken(), BY);
    await store.administration.delete(account.email, byAt(PERIOD.start));

    for (const month of ["10", "11"]) {
      const units = await unitsByAccount(store, periodOf(`2026-${month}-15T00:00:00.000Z`));
      assert.deepEqual(units, [`${account.id} 0`]);
    }
    assert.deepEqual(await unitsByAccount(store, periodOf("2026-12-15T00:00:00.000Z")), []);
  });

  test("units by key and day are those of the period, revoked keys included", async (store) => {
    const first = await newCustomer(store, 100);
    await newCustomer(store, 100);
    const last = await newCustomer(store, 100);
    const key = newKey(first.accountId, { keyPrefix: "svc_live_89abcdef" });
    await store.keys.create(key, KEY_LIMITS, BY);
    const days = ["2026-11-01T00:00:00.000Z", "2026-11-30T23:59:59.999Z"];
    const others = ["2026-10-31T23:59:59.999Z", "2026-12-01T00:00:00.000Z"];
    await read(store, key.keyHash, ...days, ...others);
    await read(store, first.keyHash, ...days, ...days, ...others);
    await read(store, last.keyHash, "2026-11-15T12:00:00.000Z");
    await store.keys.revoke(first.accountId, key.id, BY);

    const rows = (await Array.fromAsync(readUnitsByKeyAndDay(store, PERIOD))).flat();

    const { accountId, email, plan } = first;
    const own = { accountId, email, plan };
    const byFirst = { ...own, keyId: first.key.id, keyPrefix: "svc_live_01234567", units: 2 };
    const bySecond = { ...own, keyId: key.id, keyPrefix: "svc_live_89abcdef", units: 1 };
    assert.deepEqual(rows, [
      { ...byFirst, day: "2026-11-01" },
      { ...bySecond, day: "2026-11-01" },
      { ...byFirst, day: "2026-11-30" },
      { ...bySecond, day: "2026-11-30" },
      {
        accountId: last.accountId,
        email: last.email,
        plan: last.plan,
        day: "2026-11-15",
        keyId: last.key.id,
        keyPrefix: "svc_live_01234567",
        units: 1,
      },
    ]);
  });

  test("units by key and day are read in pages that start after an account, day and key", async (store) => {
    const [one, two] = [await newCustomer(store, 100), await newCustomer(store, 100)];
    const other = newKey(one.accountId);
    await store.keys.create(other, KEY_LIMITS, BY);
    for (const keyHash of [one.keyHash, other.keyHash, two.keyHash]) {
      await read(store, keyHash, "2026-10-31T00:00:00.000Z", "2026-11-01T00:00:00.000Z", NOW);
    }
    const end = { accountId: two.accountId, day: "2026-11-30" };
    const pages: string[][] = [];
    let after = { accountId: one.accountId, day: PERIOD.name, keyId: "" };
    for (;;) {
      const page = await store.usage.byKey(after, end, 1);
      if (page.length === 0) break;
      pages.push(page.map(({ accountId, day, keyId }) => `${accountId} ${day} ${keyId}`));
      after = page.at(-1) ?? after;
    }

    const lines = [
      `${one.accountId} 2026-11-01 ${one.key.id}`,
      `${one.accountId} 2026-11-01 ${other.id}`,
      `${one.accountId} 2026-11-21 ${one.key.id}`,
      `${one.accountId} 2026-11-21 ${other.id}`,
      `${two.accountId} 2026-11-01 ${two.key.id}`,
      `${two.accountId} 2026-11-21 ${two.key.id}`,
    ];
    assert.deepEqual(
      pages,
      lines.map((line) => [line]),
    );
    const upToFirst = { accountId: one.accountId, day: "2026-11-20" };
    const start = { accountId: one.accountId, day: PERIOD.name, keyId: "" };
    assert.equal((await store.usage.byKey(start, upToFirst, 9)).length, 2);
  });

  test("the pages of many accounts have every account once, and all units of the store", async (store, engine) => {
    const id = await fill(engine, 2500);
    const expected = Array.from({ length: 2500 }, (_, nth) => `${id(nth)} 0`);
    const days: string[] = [];
    for (const nth of [0, 998, 999, 1000, 1999, 2000, 2499]) {
      const key = newKey(id(nth));
      await store.keys.create(key, KEY_LIMITS, BY);
      await read(store, key.keyHash, NOW, NOW);
      expected[nth] = `${id(nth)} 2`;
      days.push(`${id(nth)} 2026-11-21 ${key.id} 2`);
    }

    assert.deepEqual(await unitsByAccount(store), expected);
    assert.deepEqual(await unitsByKey(store), days);
  });

  test("the units of an account with more days than a page are complete", async (store) => {
    const { accountId, key } = await newCustomer(store, 10_000);
    const keys = [key];
    while (keys.length < 100) {
      const next = newKey(accountId);
      await store.keys.create(next, KEY_LIMITS, BY);
      keys.push(next);
    }
    const after = await newCustomer(store, 1);
    const days = Array.from(
      { length: 11 },
      (_, day) => `2026-11-${String(day + 1).padStart(2, "0")}`,
    );
    for (const { keyHash } of keys) {
      const times = days.map((day) => `${day}T12:00:00.000Z`);
      await Promise.all(times.map((time) => read(store, keyHash, time)));
    }
    await read(store, after.keyHash, NOW);

    const lines = days.flatMap((day) => keys.map(({ id }) => `${accountId} ${day} ${id} 1`));
    lines.push(`${after.accountId} 2026-11-21 ${after.key.id} 1`);
    assert.deepEqual(await unitsByKey(store), lines);
  });

  test("an account whose plan is not stored is listed with its units and no quota", async (store, _, __, {
    losePlan,
  }) => {
    const { accountId, plan, keyHash } = await newCustomer(store, 10);
    await read(store, keyHash, NOW);
    await losePlan(plan);

    const [account] = (await Array.fromAsync(readUnitsByAccount(store, PERIOD))).flat();

    assert.deepEqual(
      [account?.accountId, account?.plan, account?.quotaUnits, account?.usedUnits],
      [accountId, plan, 0, 1],
    );
    assert.equal((await unitsByKey(store)).length, 1);
  });
}
