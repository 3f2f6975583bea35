import assert from "node:assert/strict";
import { createReadKeyUsage, type KeyUsage } from "../../../src/billing/usage.ts";
import { PAGE_ROWS } from "../../../src/shared/page-size.ts";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  EUR_USD,
  KEY_LIMITS,
  NOW,
  newCustomer,
  newKey,
  newRead,
  type StoreTest,
  storeRates,
  valuesOf,
} from "./database.ts";

async function usageOf(store: Store, accountId: string, time = NOW) {
  const read = createReadKeyUsage({ store, clock: { nowMs: () => Date.parse(time) } });
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
