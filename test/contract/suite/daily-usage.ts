import assert from "node:assert/strict";
import type { DailyUnits } from "../../../src/billing/store.ts";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  EUR_USD,
  KEY_LIMITS,
  NOW,
  newAccount,
  newCustomer,
  newId,
  newKey,
  newMailToken,
  newRead,
  type StoreTest,
  storeRates,
  unitsOfDays,
} from "./database.ts";

/** Reads once with each key, sequentially, at a given time. */
async function readWith(store: Store, time: string, ...keyHashes: readonly string[]) {
  for (const keyHash of keyHashes) await store.metering.read(newRead(keyHash, { time }));
}

const summaryOf = (days: readonly DailyUnits[]) =>
  days.map(({ day, keyId, units }) => `${day} ${keyId}: ${units}`);

export function dailyUsageSuite(test: StoreTest): void {
  test("units are listed by day and key, ordered by day and then by the key's creation", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key: first } = await newCustomer(store, 100);
    const [second, third] = [newKey(accountId), newKey(accountId)];
    for (const key of [second, third]) await store.keys.create(key, KEY_LIMITS, BY);
    await readWith(store, "2026-12-01T00:00:00.000Z", third.keyHash, first.keyHash);
    const hashes = [second.keyHash, third.keyHash, first.keyHash, second.keyHash];
    await readWith(store, "2026-11-30T23:59:59.999Z", ...hashes);

    assert.deepEqual(await unitsOfDays(store, accountId, "2026-11-30", "2026-12-01"), [
      { day: "2026-11-30", keyId: first.id, units: 1 },
      { day: "2026-11-30", keyId: second.id, units: 2 },
      { day: "2026-11-30", keyId: third.id, units: 1 },
      { day: "2026-12-01", keyId: first.id, units: 1 },
      { day: "2026-12-01", keyId: third.id, units: 1 },
    ]);
  });

  test("the range includes its first and its last day and no others", async (store) => {
    const { accountId, key } = await newCustomer(store, 100);
    for (const day of ["2026-12-31", "2027-01-01", "2027-01-02", "2027-01-03"]) {
      await readWith(store, `${day}T12:00:00.000Z`, key.keyHash);
    }
    const daysIn = async (first: string, last: string) =>
      (await unitsOfDays(store, accountId, first, last)).map(({ day }) => day);

    assert.deepEqual(await daysIn("2027-01-01", "2027-01-02"), ["2027-01-01", "2027-01-02"]);
    assert.deepEqual(await daysIn("2026-12-31", "2026-12-31"), ["2026-12-31"]);
    assert.deepEqual(await daysIn("2026-01-01", "2026-12-30"), []);
    assert.deepEqual(await daysIn("2027-01-04", "2027-02-01"), []);
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

  test("an account's units exclude other accounts'; idle and unknown accounts have none", async (store) => {
    const [own, other] = [await newCustomer(store, 100), await newCustomer(store, 100)];
    const idle = newAccount();
    await store.accounts.create(idle, newMailToken(), BY);
    await readWith(store, NOW, own.keyHash, other.keyHash, other.keyHash);
    const unitsOf = async (accountId: string) =>
      summaryOf(await unitsOfDays(store, accountId, "2026-11-21", "2026-11-21"));

    assert.deepEqual(await unitsOf(own.accountId), [`2026-11-21 ${own.key.id}: 1`]);
    assert.deepEqual(await unitsOf(other.accountId), [`2026-11-21 ${other.key.id}: 2`]);
    assert.deepEqual(await unitsOf(idle.id), []);
    assert.deepEqual(await unitsOf(newId()), []);
  });

  test("a revoked key's units stay, and another node returns them too", async (store, _, other) => {
    const { accountId, key } = await newCustomer(store, 100);
    await readWith(store, NOW, key.keyHash, key.keyHash);
    await store.keys.revoke(accountId, key.id, BY);
    await readWith(store, NOW, key.keyHash);

    const days = await unitsOfDays(other, accountId, "2026-11-21", "2026-11-21");

    assert.deepEqual(summaryOf(days), [`2026-11-21 ${key.id}: 2`]);
  });

  test("a day's units are exact beyond 32 bits", async (store, _, __, { setDailyUnits }) => {
    const { accountId, key } = await newCustomer(store, 100);
    await readWith(store, NOW, key.keyHash);
    await setDailyUnits(accountId, Number.MAX_SAFE_INTEGER);

    const [day] = await unitsOfDays(store, accountId, "2026-11-21", "2026-11-21");

    assert.equal(day?.units, Number.MAX_SAFE_INTEGER);
  });
}
