import assert from "node:assert/strict";
import { StoreUnavailable } from "../../../src/platform/shared/store.ts";
import type { RateReadOutcome } from "../../../src/reads/metering/store.ts";
import type { Store } from "../../support/stores.ts";
import { dailyUnits, KEY_LIMITS, newCustomer, newKey, usedUnits } from "./customers.ts";
import type { StoreTest } from "./database.ts";
import { BY, newHash } from "./origins.ts";
import { EUR_USD, newRate, newRead, pairOf, storeRates } from "./rates-stored.ts";

const { source: _source, ...RATE } = EUR_USD;
const SERVED = {
  ...RATE,
  source: "import",
  headers: ["rate-source", 'import;name="Imported by the operator"'],
  nextMs: Number.POSITIVE_INFINITY,
};

/** The result of each read; a rate as its decimal string. */
export const foundIn = (outcomes: readonly RateReadOutcome[]) =>
  outcomes.map((outcome) => {
    const found = outcome?.found;
    return typeof found === "object" && "rate" in found ? found.rate : found;
  });

export const isRate = (outcome: RateReadOutcome) => foundIn([outcome])[0] === "1.1476";

export const times = (count: number) => Array.from({ length: count }, (_, index) => index);

export function meterSuite(test: StoreTest): void {
  test("a read charges one unit and returns the quota including it", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key } = await newCustomer(store, 10);

    const outcome = await store.metering.read(newRead(key.keyHash));

    assert.deepEqual(outcome, {
      accountId,
      quota: { quotaUnits: 10, usedUnits: 1 },
      keyQuotas: undefined,
      found: SERVED,
    });
    assert.equal(await usedUnits(store, accountId), 1);
    assert.deepEqual(await dailyUnits(engine, accountId), [`2026-11-21 ${key.id}: 1`]);
  });

  test("a read with an unknown or revoked key is rejected and charges nothing", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key } = await newCustomer(store, 10);
    await store.keys.revoke(accountId, key.id, BY);

    const reads = [newRead(newHash()), newRead(key.keyHash), newRead(key.keyHash, { pair: "" })];
    const outcomes = await Promise.all(reads.map((read) => store.metering.read(read)));

    const rejected = { accountId, quota: undefined, found: undefined, rejection: "revoked" };
    assert.deepEqual(outcomes, [undefined, rejected, rejected]);
    assert.equal(await usedUnits(store, accountId), 0);
    assert.deepEqual(await dailyUnits(engine, accountId), []);
  });

  test("a read without a pair returns the quota and charges nothing, even when it is exhausted", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, keyHash, key } = await newCustomer(store, 1);
    const get = () => store.metering.read(newRead(keyHash, { pair: "" }));

    assert.deepEqual(await get(), {
      accountId,
      quota: { quotaUnits: 1, usedUnits: 0 },
      keyQuotas: undefined,
      found: "no_pair",
    });
    await store.metering.read(newRead(keyHash));
    assert.deepEqual(await get(), {
      accountId,
      quota: { quotaUnits: 1, usedUnits: 1 },
      keyQuotas: undefined,
      found: "no_pair",
    });

    assert.equal(await usedUnits(store, accountId), 1);
    assert.deepEqual(await dailyUnits(engine, accountId), [`2026-11-21 ${key.id}: 1`]);
  });

  test("a read of an account whose plan is not stored fails uncharged; the rest of the batch succeeds", async (store, engine, _, {
    losePlan,
  }) => {
    await storeRates(store, [EUR_USD]);
    const [lost, other] = [await newCustomer(store, 10), await newCustomer(store, 10)];
    await losePlan(lost.plan);
    assert.deepEqual(await store.plans.missing(), [lost.plan]);

    const keys = [other.keyHash, lost.keyHash, other.keyHash];
    const reads = [...keys.map((key) => newRead(key)), newRead(lost.keyHash, { pair: "" })];
    const outcomes = await engine.readBatch(reads);

    assert.deepEqual(
      outcomes.map((outcome) => outcome?.quota?.usedUnits),
      [1, undefined, 2, undefined],
    );
    assert.ok(outcomes[1]?.found instanceof StoreUnavailable);
    assert.equal(outcomes[3]?.found, "no_pair");
    assert.equal(await usedUnits(store, other.accountId), 2);
    assert.deepEqual(await dailyUnits(engine, lost.accountId), []);
    await store.plans.set({ name: lost.plan, unitsPerPeriod: 10 }, BY);
    assert.deepEqual(await store.plans.missing(), []);
    assert.equal((await store.metering.read(newRead(lost.keyHash)))?.quota?.usedUnits, 1);
  });

  test("a read of an unsupported pair finds whether a read of the other direction would get a rate", async (store, _, other) => {
    await storeRates(store, [EUR_USD, newRate("EUR/JPY", "182.85", "2026-03-13T15:00:00Z")]);
    const { accountId, keyHash } = await newCustomer(store, 100);
    const read = async (...pairs: string[]) =>
      foundIn(
        await Promise.all(pairs.map((pair) => store.metering.read(newRead(keyHash, { pair })))),
      );

    // The inverse is found as well where the same batch, or an earlier one, has read it itself.
    assert.deepEqual(await read("JPY/EUR", "USD/EUR", "EUR/EUR"), [
      ...["only_inverse", "only_inverse", "unsupported"],
    ]);
    assert.deepEqual(await read("EUR/JPY", "JPY/EUR", "JPY/USD"), [
      ...["182.85", "only_inverse", "unsupported"],
    ]);
    // Other pairs of the same letters.
    assert.deepEqual(await read("EUR/USD", "EU/RUSD", "EURU/SD"), [
      ...["1.1476", "unsupported", "unsupported"],
    ]);
    await other.rates.suspend(pairOf("EUR/JPY"), BY);
    await other.rates.remove(pairOf("EUR/USD"), BY);
    assert.deepEqual(await read("JPY/EUR", "USD/EUR"), ["unsupported", "unsupported"]);
    await other.rates.resume(pairOf("EUR/JPY"), BY);
    await storeRates(other, [newRate("USD/EUR", "0.8714", EUR_USD.asOf)]);
    assert.deepEqual(await read("JPY/EUR", "USD/EUR", "EUR/USD"), [
      ...["only_inverse", "0.8714", "only_inverse"],
    ]);
    assert.equal(await usedUnits(store, accountId), 14);
  });

  test("a read of a rate whose stored headers are damaged fails charged; the rest of the batch succeeds", async (store, engine) => {
    await storeRates(store, [EUR_USD, newRate("EUR/JPY", "182.85", "2026-03-13T15:00:00Z")]);
    const { accountId, keyHash } = await newCustomer(store, 10);
    await engine.query("UPDATE rates SET headers = 'damaged' WHERE quote = 'JPY'");

    const pairs = ["EUR/JPY", "EUR/USD", "EUR/JPY"];
    const outcomes = await engine.readBatch(pairs.map((pair) => newRead(keyHash, { pair })));

    const quotas = outcomes.map((outcome) => outcome?.quota);
    assert.deepEqual(
      quotas,
      [1, 2, 3].map((usedUnits) => ({ quotaUnits: 10, usedUnits })),
    );
    for (const outcome of [outcomes[0], outcomes[2]]) {
      assert.ok(outcome?.found instanceof StoreUnavailable);
      assert.ok(outcome.found.cause instanceof SyntaxError);
    }
    assert.equal(foundIn(outcomes)[1], "1.1476");
    assert.equal(await usedUnits(store, accountId), 3);
  });

  test("concurrent reads are charged in order of arrival, across an account's keys", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key } = await newCustomer(store, 4);
    const second = newKey(accountId);
    await store.keys.create(second, KEY_LIMITS, BY);
    const reads = [
      newRead(key.keyHash),
      newRead(second.keyHash, { pair: "USD/EUR" }),
      newRead(key.keyHash, { pair: "" }),
      newRead(newHash()),
      newRead(second.keyHash),
      newRead(key.keyHash),
      newRead(key.keyHash),
      newRead(second.keyHash, { pair: "USD/EUR" }),
    ];

    const outcomes = await Promise.all(reads.map((read) => store.metering.read(read)));

    assert.deepEqual(foundIn(outcomes), [
      "1.1476",
      "only_inverse",
      "no_pair",
      undefined,
      "1.1476",
      "1.1476",
      "exhausted",
      "exhausted",
    ]);
    const counts = outcomes.map((outcome) => outcome?.quota?.usedUnits);
    assert.deepEqual(counts, [1, 2, 2, undefined, 3, 4, 4, 4]);
    assert.equal(await usedUnits(store, accountId), 4);
    assert.deepEqual(
      await dailyUnits(engine, accountId),
      [`2026-11-21 ${key.id}: 2`, `2026-11-21 ${second.id}: 2`].sort(),
    );
  });

  test("accounts in one batch have independent quotas, of 0 units too", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const none = await newCustomer(store, 0);
    const customers = [await newCustomer(store, 2), await newCustomer(store, 100), none];

    const outcomes = await Promise.all(
      times(30).map((index) => store.metering.read(newRead(customers[index % 3]?.keyHash ?? ""))),
    );

    assert.equal(outcomes.filter(isRate).length, 12);
    const used = customers.map(({ accountId }) => usedUnits(store, accountId));
    assert.deepEqual(await Promise.all(used), [2, 10, 0]);
    assert.deepEqual(outcomes[2], {
      accountId: none.accountId,
      quota: { quotaUnits: 0, usedUnits: 0 },
      keyQuotas: undefined,
      found: "exhausted",
    });
    assert.deepEqual(await dailyUnits(engine, none.accountId), []);
  });

  test("batches over many accounts with two keys each charge every key its own reads, in two rounds", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const customers: Awaited<ReturnType<typeof newCustomer>>[] = [];
    for (const _ of times(47)) customers.push(await newCustomer(store, 1000));
    const seconds = customers.map(({ accountId }) => newKey(accountId));
    for (const key of seconds) await store.keys.create(key, KEY_LIMITS, BY);
    // The first account reads 1 and 2 times with its keys, the last one 47 and 48 times.
    const reads = customers.flatMap(({ keyHash }, index) => [
      ...times(index + 1).map(() => newRead(keyHash)),
      ...times(index + 2).map(() => newRead(seconds[index]?.keyHash ?? "")),
    ]);

    for (const round of [1, 2]) {
      // On a slow machine the queue admits no more than the next batch of 1,000.
      for (let from = 0; from < reads.length; from += 1000) {
        const next = reads.slice(from, from + 1000);
        const outcomes = await Promise.all(next.map((read) => store.metering.read(read)));
        assert.ok(outcomes.every(isRate));
      }
      for (const [index, { accountId, key }] of customers.entries()) {
        assert.equal(await usedUnits(store, accountId), round * (2 * index + 3));
        assert.deepEqual(
          (await dailyUnits(engine, accountId)).sort(),
          [
            `2026-11-21 ${key.id}: ${round * (index + 1)}`,
            `2026-11-21 ${seconds[index]?.id}: ${round * (index + 2)}`,
          ].sort(),
        );
      }
    }
  });

  test("more concurrent reads than fit in one batch are all served, in order and charged exactly", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, keyHash } = await newCustomer(store, 2400);

    const outcomes = await Promise.all(
      times(2500).map(() => store.metering.read(newRead(keyHash))),
    );

    assert.deepEqual(
      outcomes.map((outcome) => outcome?.quota?.usedUnits),
      times(2500).map((index) => Math.min(index + 1, 2400)),
    );
    assert.deepEqual(
      outcomes.map(isRate),
      times(2500).map((index) => index < 2400),
    );
    assert.equal(await usedUnits(store, accountId), 2400);
  });

  test("a batch across midnight and a period's end charges each read to its own day and period", async (store, engine) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key, keyHash } = await newCustomer(store, 2);
    const moments = [
      "2026-11-29T23:59:59.999Z",
      "2026-12-01T00:00:00.000Z",
      "2026-11-30T00:00:00.000Z",
      "2026-12-01T00:00:00.000Z",
      "2026-11-30T23:59:59.999Z",
      "2026-12-01T00:00:00.001Z",
    ];

    const outcomes = await Promise.all(
      moments.map((time) => store.metering.read(newRead(keyHash, { time }))),
    );

    assert.equal(await usedUnits(store, accountId, "2026-11"), 2);
    assert.equal(await usedUnits(store, accountId, "2026-12"), 2);
    assert.deepEqual(outcomes.map(isRate), [true, true, true, true, false, false]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome?.quota?.usedUnits),
      [1, 1, 2, 2, 2, 2],
    );
    assert.deepEqual(await dailyUnits(engine, accountId), [
      `2026-11-29 ${key.id}: 1`,
      `2026-11-30 ${key.id}: 1`,
      `2026-12-01 ${key.id}: 2`,
    ]);
  });

  test("concurrent reads on two nodes never exceed an account's quota", async (here, _, there) => {
    await storeRates(here, [EUR_USD]);
    const { accountId, keyHash } = await newCustomer(here, 150);

    const outcomes: RateReadOutcome[] = [];
    const readOn = async (store: Store) => {
      for (const _ of times(10)) {
        outcomes.push(
          ...(await Promise.all(times(10).map(() => store.metering.read(newRead(keyHash))))),
        );
      }
    };
    await Promise.all([readOn(here), readOn(there)]);

    assert.equal(outcomes.length, 200);
    assert.equal(outcomes.filter(isRate).length, 150);
    assert.equal(await usedUnits(there, accountId), 150);
    const served = outcomes.filter(isRate).map((outcome) => outcome?.quota?.usedUnits ?? 0);
    assert.deepEqual(
      served.sort((a, b) => a - b),
      times(150).map((index) => index + 1),
    );
  });

  for (const where of ["itself", "another node"]) {
    test(`a node's next read sees rates, suspensions, deletions and revocations by ${where}`, async (there, _, other) => {
      const here = where === "itself" ? there : other;
      await storeRates(here, [EUR_USD]);
      const { accountId, key, keyHash } = await newCustomer(here, 100);
      const found = async () => foundIn([await there.metering.read(newRead(keyHash))])[0];
      assert.equal(await found(), "1.1476");

      await storeRates(here, [newRate("EUR/USD", "1.1500", "2026-03-16T15:00:00Z")]);
      assert.equal(await found(), "1.1500");
      await here.rates.suspend(pairOf("EUR/USD"), BY);
      assert.equal(await found(), "suspended");
      await here.rates.resume(pairOf("EUR/USD"), BY);
      assert.equal(await found(), "1.1500");
      await here.rates.remove(pairOf("EUR/USD"), BY);
      assert.equal(await found(), "unsupported");
      await storeRates(here, [EUR_USD]);
      assert.equal(await found(), "1.1476");
      await here.keys.revoke(accountId, key.id, BY);
      assert.equal(await found(), undefined);
      assert.equal(await usedUnits(there, accountId), 6);
    });
  }

  test("a key and a pair that were unknown are found once they are stored", async (here, _, there) => {
    await storeRates(here, [EUR_USD]);
    const { accountId, keyHash } = await newCustomer(here, 100);
    const [late, later] = [newKey(accountId), newKey(accountId)];
    const jpy = () => here.metering.read(newRead(keyHash, { pair: "EUR/JPY" }));
    for (const { keyHash: unknown } of [late, later]) {
      assert.equal((await here.metering.read(newRead(unknown)))?.found, undefined);
    }
    assert.equal((await jpy())?.found, "unsupported");

    await here.keys.create(late, KEY_LIMITS, BY);
    await there.keys.create(later, KEY_LIMITS, BY);
    await storeRates(there, [newRate("EUR/JPY", "182.85", "2026-03-13T15:00:00Z")]);

    for (const { keyHash: known } of [late, later]) {
      assert.ok(isRate(await here.metering.read(newRead(known))));
    }
    assert.deepEqual(foundIn([await jpy()]), ["182.85"]);
  });

  test("after many unknown keys, known ones are served and charged, and unknown ones are not", async (store) => {
    await storeRates(store, [EUR_USD]);
    const { accountId, keyHash } = await newCustomer(store, 100);
    const unknown = times(2500).map(newHash);

    for (const hashes of [unknown, unknown.slice(0, 10)]) {
      const reads = [keyHash, ...hashes, keyHash].map((hash) => store.metering.read(newRead(hash)));
      const [first, ...others] = await Promise.all(reads);
      const last = others.pop();
      assert.ok(isRate(first) && isRate(last));
      assert.ok(others.every((outcome) => outcome === undefined));
    }
    assert.equal(await usedUnits(store, accountId), 4);
  });
}

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

  test("after a change of the plan, reads at once share the new plan's quota, unless more is used", async (store) => {
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
    const outcome = await store.metering.read(newRead(keyHash, { time: NOVEMBER }));
    assert.deepEqual(outcome?.quota, { quotaUnits: 2, usedUnits: 6 });

    assert.equal(await usedUnits(store, accountId), 6);
    await store.plans.set({ name: plan, unitsPerPeriod: 8 }, BY);
    assert.deepEqual(await read(), twoServed);
  });
}
