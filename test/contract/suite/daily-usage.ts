import assert from "node:assert/strict";
import { createApiKeys } from "../../../src/customers/api-keys/api-keys.ts";
import { NO_LIMITS } from "../../../src/customers/api-keys/limits.ts";
import { keyUnitsJson } from "../../../src/customers/billing/json.ts";
import { billingPeriodAt } from "../../../src/customers/billing/rules.ts";
import type { DailyUnits } from "../../../src/customers/billing/store.ts";
import {
  createUsageReads,
  type KeyUsage,
  readUnitsByAccount,
  readUnitsByKeyAndDay,
} from "../../../src/customers/billing/usage.ts";
import { PAGE_ROWS } from "../../../src/platform/shared/pages.ts";
import { createSecrets } from "../../../src/platform/shared/secrets.ts";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import { TestClock } from "../../support/service.ts";
import type { Store } from "../../support/stores.ts";
import {
  KEY_LIMITS,
  newAccount,
  newCustomer,
  newKey,
  newMailToken,
  newRegistration,
  unitsOfDays,
} from "./customers.ts";
import { type StoreTest, valuesOf } from "./database.ts";
import { BY, byAt, NOW, newHash, newId, PERIOD } from "./origins.ts";
import { EUR_USD, newRead, storeRates } from "./rates-stored.ts";

/** Reads once with each key, sequentially, at a given time. */
async function readWith(store: Store, time: string, ...keyHashes: readonly string[]) {
  for (const keyHash of keyHashes) await store.metering.read(newRead(keyHash, { time }));
}

const summaryOf = (days: readonly DailyUnits[]) =>
  days.map(({ day, keyId, units }) => `${day} ${keyId}: ${units}`);

export function dailyUsageSuite(test: StoreTest): void {
  test("the units of a range of days are listed by day and key, ordered by day and then by the key's creation", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key: first } = await newCustomer(store, 100);
    const [second, third] = [newKey(accountId), newKey(accountId)];
    for (const key of [second, third]) await store.keys.create(key, KEY_LIMITS, BY);
    for (const day of ["2026-12-30", "2027-01-02"]) {
      await readWith(store, `${day}T12:00:00.000Z`, first.keyHash);
    }
    await readWith(store, "2027-01-01T00:00:00.000Z", third.keyHash, first.keyHash);
    const hashes = [second.keyHash, third.keyHash, first.keyHash, second.keyHash];
    await readWith(store, "2026-12-31T23:59:59.999Z", ...hashes);

    assert.deepEqual(await unitsOfDays(store, accountId, "2026-12-31", "2027-01-01"), [
      { day: "2026-12-31", keyId: first.id, units: 1 },
      { day: "2026-12-31", keyId: second.id, units: 2 },
      { day: "2026-12-31", keyId: third.id, units: 1 },
      { day: "2027-01-01", keyId: first.id, units: 1 },
      { day: "2027-01-01", keyId: third.id, units: 1 },
    ]);
    assert.deepEqual(await unitsOfDays(store, accountId, "2026-01-01", "2026-12-29"), []);
    assert.deepEqual(await unitsOfDays(store, accountId, "2027-01-03", "2027-02-01"), []);
  });

  test("units are listed in pages that start after a day and key and end at a day", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key: first } = await newCustomer(store, 100);
    const [second, third] = [newKey(accountId), newKey(accountId)];
    for (const key of [second, third]) await store.keys.create(key, KEY_LIMITS, BY);
    const hashes = [first, second, third].map(({ keyHash }) => keyHash);
    for (const day of ["2026-11-01", "2026-11-30", "2026-12-01"]) {
      await readWith(store, `${day}T12:00:00.000Z`, ...hashes);
    }
    const pageAfter = async (day: string, keyId: string, lastDay: string) =>
      summaryOf(await store.usage.byDay(accountId, { day, keyId }, lastDay, 2));
    const line = (day: string, { id }: typeof second) => `${day} ${id}: 1`;

    assert.deepEqual(await pageAfter("2026-11-01", "", "2026-11-30"), [
      line("2026-11-01", first),
      line("2026-11-01", second),
    ]);
    assert.deepEqual(await pageAfter("2026-11-01", second.id, "2026-11-30"), [
      line("2026-11-01", third),
      line("2026-11-30", first),
    ]);
    assert.deepEqual(await pageAfter("2026-11-30", second.id, "2026-11-30"), [
      line("2026-11-30", third),
    ]);
    assert.deepEqual(await pageAfter("2026-11-30", third.id, "2026-11-30"), []);
    assert.deepEqual(await pageAfter("2026-11-01", third.id, "2026-11-29"), []);
  });

  test("an account's units exclude other accounts' and stay, on each node, when its key is revoked", async (store, _, node) => {
    const [own, other] = [await newCustomer(store, 100), await newCustomer(store, 100)];
    const { account: idle } = await newRegistration(store);
    await readWith(store, NOW, own.keyHash, other.keyHash, other.keyHash);
    await store.keys.revoke(own.accountId, own.key.id, BY);
    await readWith(store, NOW, own.keyHash);
    const unitsOf = async (accountId: string) =>
      summaryOf(await unitsOfDays(node, accountId, "2026-11-21", "2026-11-21"));

    assert.deepEqual(await unitsOf(own.accountId), [`2026-11-21 ${own.key.id}: 1`]);
    assert.deepEqual(await unitsOf(other.accountId), [`2026-11-21 ${other.key.id}: 2`]);
    assert.deepEqual(await unitsOf(idle.id), []);
    assert.deepEqual(await unitsOf(newId()), []);
  });

  test("the units of a line are those of each of its keys, revoked ones too, this month and today", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key: first } = await newCustomer(store, 100);
    const other = newKey(accountId, { limits: { ...NO_LIMITS, unitsPerDay: 9 } });
    await store.keys.create(other, KEY_LIMITS, BY);
    const capped = { ...NO_LIMITS, unitsPerPeriod: 50 };
    await store.keys.setLimits(accountId, first.id, () => capped, BY);
    const second = { id: newId(), keyPrefix: "svc_live_89abcdef", keyHash: newHash() };
    const old = { accountId, keyId: first.id, endsAt: "2026-11-22T12:00:00.000Z" };
    await store.keys.rotate(old, second, (limits) => limits, KEY_LIMITS, BY);
    await readWith(store, "2026-10-31T12:00:00.000Z", first.keyHash);
    await readWith(store, "2026-11-20T12:00:00.000Z", first.keyHash, other.keyHash);
    await readWith(store, NOW, first.keyHash, second.keyHash, second.keyHash);
    const uses = { store, secrets: createSecrets(), keyMaxAgeDays: undefined };
    const limits = async (now: string) => {
      const clock = new TestClock(now);
      const keys = createApiKeys({ ...uses, clock, consumeAuthAttempt: async () => undefined });
      return (await keys.limitUsage(accountId)).map((key) => [
        ...[key.id, key.limits.unitsPerPeriod, key.periodUnits, key.dayUnits],
      ]);
    };

    const [one, two] = [
      [first.id, 50, 4, 3],
      [second.id, 50, 4, 3],
    ];
    assert.deepEqual(await limits(NOW), [one, [other.id, null, 1, 0], two]);
    await store.keys.revoke(accountId, other.id, BY);
    assert.deepEqual(await limits("2026-11-23T12:00:00.000Z"), [[second.id, 50, 4, 0]]);
    assert.deepEqual(await store.keys.limited(newId(), NOW), []);
  });

  test("a day's units are exact beyond 32 bits", async (store, _, __, { setDailyUnits }) => {
    const { accountId, key } = await newCustomer(store, 100);
    await readWith(store, NOW, key.keyHash);
    await setDailyUnits(accountId, Number.MAX_SAFE_INTEGER);

    const [day] = await unitsOfDays(store, accountId, "2026-11-21", "2026-11-21");

    assert.equal(day?.units, Number.MAX_SAFE_INTEGER);
  });
}

async function usageOf(store: Store, accountId: string, time = NOW) {
  const { readKeys: read } = createUsageReads({ store, clock: { nowMs: () => Date.parse(time) } });
  return (await Array.fromAsync(read(accountId))).flat();
}

const never = (keyId: string): KeyUsage => ({ keyId, lastUsedOn: undefined, units: 0 });

/** A customer with two keys more, all created at the start of the year. */
async function customerWithKeys(store: Store) {
  await storeRates(store, [EUR_USD]);
  const createdAt = "2026-01-01T00:00:00.000Z";
  const { accountId, key } = await newCustomer(store, 1000);
  const more = [newKey(accountId, { createdAt }), newKey(accountId, { createdAt })] as const;
  for (const one of more) await store.keys.create(one, KEY_LIMITS, BY);
  return { accountId, keys: [key, ...more] as const };
}

export function keyUsageSuite(test: StoreTest): void {
  test("each key has its last day with units, and its units of the current period", async (store) => {
    const { accountId, keys } = await customerWithKeys(store);
    const [first, second, third] = keys;
    const read = (keyHash: string, time: string) => store.metering.read(newRead(keyHash, { time }));
    for (const day of ["2026-12-03", "2026-12-30", "2026-12-30", "2027-01-02"]) {
      await read(first.keyHash, `${day}T10:00:00.000Z`);
    }
    await read(second.keyHash, "2026-12-31T23:59:59.999Z");

    assert.deepEqual(await usageOf(store, accountId, "2027-01-05T00:00:00.000Z"), [
      { keyId: first.id, lastUsedOn: "2027-01-02", units: 1 },
      { keyId: second.id, lastUsedOn: "2026-12-31", units: 0 },
      never(third.id),
    ]);
    assert.deepEqual(await usageOf(store, accountId, "2026-12-31T23:59:59.999Z"), [
      { keyId: first.id, lastUsedOn: "2026-12-30", units: 3 },
      { keyId: second.id, lastUsedOn: "2026-12-31", units: 1 },
      never(third.id),
    ]);
  });

  test("several pages of keys each have their own usage", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key: first } = await newCustomer(store, 1000);
    const limits = { active: 1000, perDay: 1000, total: 1000 };
    const more = Array.from({ length: PAGE_ROWS + 1 }, () => newKey(accountId));
    for (const key of more) await store.keys.create(key, limits, BY);
    const last = more.at(-1) ?? first;
    for (const { keyHash } of [first, last, last]) await store.metering.read(newRead(keyHash));

    const usage = await usageOf(store, accountId);

    assert.deepEqual(
      valuesOf(usage, "keyId"),
      [first, ...more].map(({ id }) => id),
    );
    assert.deepEqual(
      usage.filter(({ units }) => units > 0),
      [
        { keyId: first.id, lastUsedOn: "2026-11-21", units: 1 },
        { keyId: last.id, lastUsedOn: "2026-11-21", units: 2 },
      ],
    );
  });
}

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
    const { account: idle } = await newRegistration(store);
    await read(store, second.keyHash, NOW, NOW, "2026-12-01T00:00:00.000Z");

    const pages = await Array.fromAsync(readUnitsByAccount(store, PERIOD));

    const none = { grantedUnits: 0, references: "", customerNumber: undefined };
    const shared = { ...none, createdAt: NOW, deletedAt: undefined };
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

  test("a deleted account is exported without its email where it has units, and without units up to its deletion", async (store) => {
    const { accountId, email, key, keyHash } = await newCustomer(store, 10);
    await read(store, keyHash, NOW);
    await store.administration.delete(email, BY);
    const idle = newAccount({ createdAt: "2026-10-05T00:00:00.000Z" });
    await store.accounts.create(idle, newMailToken(), BY);
    await store.administration.delete(idle.email, byAt(PERIOD.start));

    const accounts = (await Array.fromAsync(readUnitsByAccount(store, PERIOD))).flat();
    assert.deepEqual(valuesOf(accounts, "email"), ["", ""]);
    const [day] = (await Array.fromAsync(readUnitsByKeyAndDay(store, PERIOD))).flat();
    assert.deepEqual([day?.keyId, day?.email, day?.keyPrefix, day?.units], [key.id, "", "", 1]);
    for (const [month, rows] of [
      ["10", [`${idle.id} 0`]],
      ["11", [`${accountId} 1`, `${idle.id} 0`]],
      ["12", []],
    ] as const) {
      const units = await unitsByAccount(store, periodOf(`2026-${month}-15T00:00:00.000Z`));
      assert.deepEqual(units, rows, month);
    }
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
    await read(store, last.keyHash, "2026-11-15T12:00:00.000Z", ...others);
    await store.keys.revoke(first.accountId, key.id, BY);

    const rows = (await Array.fromAsync(readUnitsByKeyAndDay(store, PERIOD))).flat();

    const row = (customer: typeof first, date: string, keyId: string, prefix: string) => ({
      ...{ account_id: customer.accountId, email: customer.email, plan: customer.plan, date },
      ...{ api_key_id: keyId, key_prefix: prefix, customer_number: "" },
    });
    const byFirst = (date: string) => ({
      ...row(first, date, first.key.id, "svc_live_01234567"),
      units: 2,
    });
    const bySecond = (date: string) => ({
      ...row(first, date, key.id, "svc_live_89abcdef"),
      units: 1,
    });
    assert.deepEqual(rows.map(keyUnitsJson), [
      byFirst("2026-11-01"),
      bySecond("2026-11-01"),
      byFirst("2026-11-30"),
      bySecond("2026-11-30"),
      { ...row(last, "2026-11-15", last.key.id, "svc_live_01234567"), units: 1 },
    ]);
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
    // A page of 1,000 rows ends between two keys of a day.
    while (keys.length < 99) {
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
    await read(store, after.keyHash, "2026-11-01T12:00:00.000Z");

    const lines = days.flatMap((day) => keys.map(({ id }) => `${accountId} ${day} ${id} 1`));
    lines.push(`${after.accountId} 2026-11-01 ${after.key.id} 1`);
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
