import assert from "node:assert/strict";
import type { Store } from "../../../src/store.ts";
import {
  BY,
  EUR_USD,
  KEY_LIMITS,
  newCustomer,
  newKey,
  newRead,
  type StoreTest,
  storeRates,
  usedUnits,
} from "./database.ts";

// What a process keeps of an account must not outlive a boundary: several reads at once, one batch,
// on both sides of each.

const NOVEMBER = "2026-11-30T23:59:59.999Z";
const DECEMBER = "2026-12-01T00:00:00.000Z";

/** Sends reads at once. @returns of each whether it was served, exhausted or rejected. */
async function readAtOnce(store: Store, keyHash: string, times: readonly string[]) {
  const reads = times.map((time) => store.metering.read(newRead(keyHash, { time })));
  return (await Promise.all(reads)).map((outcome) => {
    if (outcome?.found === undefined) return "rejected";
    return outcome.found === "exhausted" ? "exhausted" : "served";
  });
}

const fourAt = (time: string) => [time, time, time, time];

export function boundarySuite(test: StoreTest): void {
  test("after the end of a month, reads at once of a cached key share the new quota", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, keyHash } = await newCustomer(store, 2);
    assert.deepEqual(await readAtOnce(store, keyHash, [NOVEMBER]), ["served"]);

    const expected = ["served", "served", "exhausted", "exhausted"];
    assert.deepEqual(await readAtOnce(store, keyHash, fourAt(DECEMBER)), expected);
    assert.deepEqual(await readAtOnce(store, keyHash, [DECEMBER]), ["exhausted"]);

    assert.equal(await usedUnits(store, accountId, "2026-11"), 1);
    assert.equal(await usedUnits(store, accountId, "2026-12"), 2);
  });

  test("after a revocation, reads at once of the key are rejected, those of another key served", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key, keyHash } = await newCustomer(store, 5);
    const second = newKey(accountId);
    await store.keys.create(second, KEY_LIMITS, BY);
    const both = async () =>
      (
        await Promise.all(
          [keyHash, second.keyHash].map((hash) => readAtOnce(store, hash, [NOVEMBER, NOVEMBER])),
        )
      ).flat();
    assert.deepEqual(await both(), ["served", "served", "served", "served"]);

    await store.keys.revoke(accountId, key.id, BY);

    assert.deepEqual(await both(), ["rejected", "rejected", "served", "exhausted"]);
    assert.equal(await usedUnits(store, accountId), 5);
  });

  test("after a change of the plan, reads at once share the new plan's quota", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, email, plan, keyHash } = await newCustomer(store, 2);
    const read = () => readAtOnce(store, keyHash, fourAt(NOVEMBER));
    const twoServed = ["served", "served", "exhausted", "exhausted"];
    assert.deepEqual(await read(), twoServed);

    const larger = `${plan}-larger`;
    await store.plans.set({ name: larger, unitsPerPeriod: 4 }, BY);
    await store.accounts.setPlan(email, larger, BY);
    assert.deepEqual(await read(), twoServed);
    await store.plans.set({ name: larger, unitsPerPeriod: 6 }, BY);
    assert.deepEqual(await read(), twoServed);
    await store.accounts.setPlan(email, plan, BY);
    assert.deepEqual(await read(), ["exhausted", "exhausted", "exhausted", "exhausted"]);

    assert.equal(await usedUnits(store, accountId), 6);
  });

  test("during a suspension, reads at once are rejected; after it, the rest of the quota is left", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, email, keyHash } = await newCustomer(store, 3);
    assert.deepEqual(await readAtOnce(store, keyHash, [NOVEMBER]), ["served"]);

    await store.administration.suspend(email, BY);
    const rejected = ["rejected", "rejected", "rejected", "rejected"];
    assert.deepEqual(await readAtOnce(store, keyHash, fourAt(NOVEMBER)), rejected);
    await store.administration.resume(email, BY);

    const expected = ["served", "served", "exhausted", "exhausted"];
    assert.deepEqual(await readAtOnce(store, keyHash, fourAt(NOVEMBER)), expected);
    assert.equal(await usedUnits(store, accountId), 3);
  });
}
