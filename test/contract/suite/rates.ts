import assert from "node:assert/strict";
import { createUpdatePolicy } from "../../../src/rates/rules/update-policy.ts";
import type { Decimal } from "../../../src/shared/decimal.ts";
import { EUR_USD, NOW, newRate, pairOf, type StoreTest, storeRates } from "./database.ts";

const cautious = createUpdatePolicy({ activeSources: [], maxJump: "0.5" as Decimal });

const OLDER = "2026-03-13T14:59:59.999999999Z";
const SAME = "2026-03-13T15:00:00Z";
const NEWER = "2026-03-13T15:00:00.000000001Z";

export function rateSuite(test: StoreTest): void {
  test("a new store has no rate", async (database) => {
    const store = database.openStore();
    assert.equal(await store.hasRates(), false);
    assert.deepEqual(await store.listRates(), []);
  });

  test("rates come out digit by digit, in order of their pairs, all or those of a base", async (database) => {
    const store = database.openStore();
    const long = `0.${"0123456789".repeat(6)}01`;
    const usd = newRate("USD/EUR", long, "2026-03-31T04:00:00Z", "ust");
    const isk = newRate("EUR/ISK", "144.20", "2026-03-13T15:00:00.123456789Z", "ecb");

    assert.deepEqual(await storeRates(store, [usd, EUR_USD, isk]), ["store", "store", "store"]);

    const suspendedAt = undefined;
    assert.equal(await store.hasRates(), true);
    assert.deepEqual(await store.listRates(), [
      { ...isk, suspendedAt },
      { ...EUR_USD, suspendedAt },
      { ...usd, suspendedAt },
    ]);
    assert.deepEqual(await store.listRates("USD"), [{ ...usd, suspendedAt }]);
    assert.deepEqual(await store.listRates("ISK"), []);
  });

  test("a stored rate never goes back in time, not by a nanosecond", async (database) => {
    const store = database.openStore();
    await storeRates(store, [EUR_USD]);

    const standing = await storeRates(store, [newRate("EUR/USD", "9", OLDER, "other")]);

    const reason = `EUR/USD is stored as of ${EUR_USD.asOf}, which is newer`;
    assert.deepEqual(standing, [{ reason }]);
    assert.deepEqual(await store.listRates(), [{ ...EUR_USD, suspendedAt: undefined }]);
  });

  test("a rate of the same time is a correction, and a newer one replaces it", async (database) => {
    const store = database.openStore();
    await storeRates(store, [EUR_USD]);

    assert.deepEqual(await storeRates(store, [newRate("EUR/USD", "1.15", SAME, "ecb")]), ["store"]);
    const [corrected] = await store.listRates();
    assert.deepEqual([corrected?.rate, corrected?.source], ["1.15", "ecb"]);

    assert.deepEqual(await storeRates(store, [newRate("EUR/USD", "1.16", NEWER)]), ["store"]);
    const [newest] = await store.listRates();
    assert.deepEqual([newest?.rate, newest?.asOf], ["1.16", NEWER]);
  });

  test("within one call each rate is judged by itself, in its order", async (database) => {
    const store = database.openStore();

    const standing = await storeRates(store, [
      newRate("EUR/USD", "1", SAME),
      newRate("EUR/USD", "2", OLDER),
      newRate("USD/EUR", "3", OLDER),
      newRate("EUR/USD", "4", NEWER),
      newRate("EUR/USD", "5", SAME),
    ]);

    const older = (time: string) => ({ reason: `EUR/USD is stored as of ${time}, which is newer` });
    assert.deepEqual(standing, ["store", older(EUR_USD.asOf), "store", "store", older(NEWER)]);
    const rates = (await store.listRates()).map(({ base, rate }) => `${base} ${rate}`);
    assert.deepEqual(rates, ["EUR 4", "USD 3"]);
  });

  test("storing nothing stores nothing", async (database) => {
    const store = database.openStore();
    assert.deepEqual(await storeRates(store, []), []);
    assert.equal(await store.hasRates(), false);
  });

  test("a pair and its inverse are two pairs", async (database) => {
    const store = database.openStore();
    await storeRates(store, [EUR_USD]);
    assert.equal(await store.suspendRate(pairOf("USD/EUR"), NOW), false);
    assert.deepEqual(await store.listRates("USD"), []);
  });

  test("a rate that jumps is held beside the stored one, and the last held counts", async (database) => {
    const store = database.openStore();
    await storeRates(store, [EUR_USD]);
    const held = newRate("EUR/USD", "114.76", NEWER, "ecb");

    assert.deepEqual(await store.storeRates([newRate("EUR/USD", "9", NEWER)], cautious, NOW), [
      "hold",
    ]);
    assert.deepEqual(await store.storeRates([held], cautious, NOW), ["hold"]);

    assert.equal((await store.listRates())[0]?.rate, EUR_USD.rate);
    const expected = { ...held, heldAt: NOW, standing: EUR_USD.rate };
    assert.deepEqual(await store.listHeldRates(), [expected]);
  });

  test("a held rate is released once, and then it is the stored one", async (database) => {
    const store = database.openStore();
    const held = newRate("EUR/USD", "114.76", NEWER, "ecb");
    await storeRates(store, [EUR_USD]);
    await store.storeRates([held], cautious, NOW);

    assert.deepEqual(await store.releaseRate(pairOf("EUR/USD")), held);
    assert.equal(await store.releaseRate(pairOf("EUR/USD")), undefined);

    assert.deepEqual(await store.listRates(), [{ ...held, suspendedAt: undefined }]);
    assert.deepEqual(await store.listHeldRates(), []);
  });

  test("a held rate that is dropped changes nothing, and a newer stored one replaces it", async (database) => {
    const store = database.openStore();
    const held = newRate("EUR/USD", "114.76", SAME, "ecb");
    await storeRates(store, [EUR_USD]);
    await store.storeRates([held], cautious, NOW);

    assert.equal(await store.dropHeldRate(pairOf("EUR/USD")), true);
    assert.equal(await store.dropHeldRate(pairOf("EUR/USD")), false);
    assert.equal((await store.listRates())[0]?.rate, EUR_USD.rate);

    await store.storeRates([held], cautious, NOW);
    await store.storeRates([newRate("EUR/USD", "1.15", NEWER)], cautious, NOW);
    assert.deepEqual(await store.listHeldRates(), []);
  });

  test("a preview of rates tells their verdicts and stores nothing", async (database) => {
    const store = database.openStore();
    await storeRates(store, [EUR_USD]);
    const next = newRate("EUR/USD", "114.76", NEWER, "ecb");

    const judged = await store.previewUpdates([next], cautious);

    assert.deepEqual(judged, [{ next, standing: EUR_USD, verdict: "hold" }]);
    assert.deepEqual(await store.listRates(), [{ ...EUR_USD, suspendedAt: undefined }]);
    assert.deepEqual(await store.listHeldRates(), []);
  });

  test("a pair is suspended and resumed, and stays suspended when a newer rate comes", async (database) => {
    const store = database.openStore();
    const jpy = newRate("EUR/JPY", "182.85", SAME);
    await storeRates(store, [EUR_USD, jpy]);
    const suspensions = async () => (await store.listRates()).map(({ suspendedAt }) => suspendedAt);

    assert.equal(await store.suspendRate(pairOf("EUR/USD"), NOW), true);
    assert.deepEqual(await suspensions(), [undefined, NOW]);

    await storeRates(store, [newRate("EUR/USD", "1.15", NEWER)]);
    assert.deepEqual(await suspensions(), [undefined, NOW]);

    assert.equal(await store.suspendRate(pairOf("EUR/USD"), undefined), true);
    assert.deepEqual(await suspensions(), [undefined, undefined]);
    assert.equal(await store.suspendRate(pairOf("EUR/USD"), undefined), true);
    assert.equal(await store.suspendRate(pairOf("EUR/GBP"), NOW), false);
    assert.equal((await store.listRates("EUR")).length, 2);
  });
}
