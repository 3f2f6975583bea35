import assert from "node:assert/strict";
import { createUpdatePolicy } from "../../../src/rates/rules/update-policy.ts";
import type { Decimal } from "../../../src/shared/decimal.ts";
import { headersOf } from "../../support/rates.ts";
import {
  BY,
  EUR_USD,
  NOW,
  newRate,
  pairOf,
  type StoreTest,
  storeRates,
  updateRates,
} from "./database.ts";

const cautious = createUpdatePolicy({ rateSources: [], maxRateJump: "0.5" as Decimal });

const OLDER = "2026-03-13T14:59:59.999999999Z";
const SAME = "2026-03-13T15:00:00Z";
const NEWER = "2026-03-13T15:00:00.000000001Z";

export function rateSuite(test: StoreTest): void {
  test("a new store has no rate", async (store) => {
    assert.equal(await store.rates.hasAny(), false);
    assert.deepEqual(await store.rates.list(), []);
  });

  test("rates are listed with their exact digits, ordered by pair, all or those of one base", async (store) => {
    const long = `0.${"0123456789".repeat(6)}01`;
    const usd = newRate("USD/EUR", long, "2026-03-31T04:00:00Z", "ust");
    const isk = newRate("EUR/ISK", "144.20", "2026-03-13T15:00:00.123456789Z", "ecb");

    assert.deepEqual(await storeRates(store, [usd, EUR_USD, isk]), ["store", "store", "store"]);

    const suspendedAt = undefined;
    assert.equal(await store.rates.hasAny(), true);
    assert.deepEqual(await store.rates.list(), [
      { ...isk, suspendedAt },
      { ...EUR_USD, suspendedAt },
      { ...usd, suspendedAt },
    ]);
    assert.deepEqual(await store.rates.list("USD"), [{ ...usd, suspendedAt }]);
    assert.deepEqual(await store.rates.list("ISK"), []);
  });

  test("an older rate never replaces a stored one, even if older by a nanosecond", async (store) => {
    await storeRates(store, [EUR_USD]);

    const decisions = await storeRates(store, [newRate("EUR/USD", "9", OLDER, "other")]);

    assert.deepEqual(decisions, ["older"]);
    assert.deepEqual(await store.rates.list(), [{ ...EUR_USD, suspendedAt: undefined }]);
  });

  test("a rate with the same time or a newer one replaces the stored rate", async (store) => {
    await storeRates(store, [EUR_USD]);

    assert.deepEqual(await storeRates(store, [newRate("EUR/USD", "1.15", SAME, "ecb")]), ["store"]);
    const [corrected] = await store.rates.list();
    assert.deepEqual([corrected?.rate, corrected?.source], ["1.15", "ecb"]);

    assert.deepEqual(await storeRates(store, [newRate("EUR/USD", "1.16", NEWER)]), ["store"]);
    const [newest] = await store.rates.list();
    assert.deepEqual([newest?.rate, newest?.asOf], ["1.16", NEWER]);
  });

  test("one call decides on each rate separately and in order", async (store) => {
    const decisions = await storeRates(store, [
      newRate("EUR/USD", "1", SAME),
      newRate("EUR/USD", "2", OLDER),
      newRate("USD/EUR", "3", OLDER),
      newRate("EUR/USD", "4", NEWER),
      newRate("EUR/USD", "5", SAME),
    ]);

    assert.deepEqual(decisions, ["store", "older", "store", "store", "older"]);
    const rates = (await store.rates.list()).map(({ base, rate }) => `${base} ${rate}`);
    assert.deepEqual(rates, ["EUR 4", "USD 3"]);
  });

  test("storing an empty list stores nothing", async (store) => {
    assert.deepEqual(await storeRates(store, []), []);
    assert.equal(await store.rates.hasAny(), false);
  });

  test("a pair and its inverse are different pairs", async (store) => {
    await storeRates(store, [EUR_USD]);
    assert.equal(await store.rates.suspend(pairOf("USD/EUR"), BY), false);
    assert.deepEqual(await store.rates.list("USD"), []);
  });

  test("a rate that jumps is held, replaces an earlier held one and leaves the stored one", async (store) => {
    await storeRates(store, [EUR_USD]);
    const held = newRate("EUR/USD", "114.76", NEWER, "ecb");

    assert.deepEqual(await updateRates(store, [newRate("EUR/USD", "9", NEWER)], cautious), [
      "hold",
    ]);
    assert.deepEqual(await updateRates(store, [held], cautious), ["hold"]);

    assert.equal((await store.rates.list())[0]?.rate, EUR_USD.rate);
    const expected = { ...held, heldAt: NOW, servedRate: EUR_USD.rate };
    assert.deepEqual(await store.rates.listHeld(), [expected]);
  });

  test("a released rate becomes the stored rate, and can be released only once", async (store) => {
    const held = newRate("EUR/USD", "114.76", NEWER, "ecb");
    await storeRates(store, [EUR_USD]);
    await updateRates(store, [held], cautious);

    assert.deepEqual(await store.rates.releaseHeld(pairOf("EUR/USD"), headersOf, BY), held);
    assert.equal(await store.rates.releaseHeld(pairOf("EUR/USD"), headersOf, BY), undefined);

    assert.deepEqual(await store.rates.list(), [{ ...held, suspendedAt: undefined }]);
    assert.deepEqual(await store.rates.listHeld(), []);
  });

  test("dropping a held rate keeps the stored one, and storing a newer rate removes a held one", async (store) => {
    const held = newRate("EUR/USD", "114.76", SAME, "ecb");
    await storeRates(store, [EUR_USD]);
    await updateRates(store, [held], cautious);

    assert.equal(await store.rates.dropHeld(pairOf("EUR/USD"), BY), true);
    assert.equal(await store.rates.dropHeld(pairOf("EUR/USD"), BY), false);
    assert.equal((await store.rates.list())[0]?.rate, EUR_USD.rate);

    await updateRates(store, [held], cautious);
    await updateRates(store, [newRate("EUR/USD", "1.15", NEWER)], cautious);
    assert.deepEqual(await store.rates.listHeld(), []);
  });

  test("a preview of updates returns the decisions and stores nothing", async (store) => {
    await storeRates(store, [EUR_USD]);
    const next = newRate("EUR/USD", "114.76", NEWER, "ecb");

    const decided = await store.rates.previewUpdate([next], cautious);

    assert.deepEqual(decided, [{ next, current: EUR_USD, decision: "hold", isNew: true }]);
    assert.deepEqual(await store.rates.list(), [{ ...EUR_USD, suspendedAt: undefined }]);
    assert.deepEqual(await store.rates.listHeld(), []);
  });

  test("a removed rate is returned, its pair is unknown from then on, and the others stay", async (store) => {
    const inverse = newRate("USD/EUR", "0.8714", SAME);
    await storeRates(store, [EUR_USD, inverse]);
    await store.rates.suspend(pairOf("EUR/USD"), BY);

    const removed = await store.rates.remove(pairOf("EUR/USD"), BY);

    assert.deepEqual(removed, { rate: { ...EUR_USD, suspendedAt: NOW }, held: undefined });
    assert.deepEqual(await store.rates.list(), [{ ...inverse, suspendedAt: undefined }]);
    assert.equal(await store.rates.remove(pairOf("EUR/USD"), BY), undefined);
    assert.equal(await store.rates.resume(pairOf("EUR/USD"), BY), false);
  });

  test("a held rate is removed with the stored one, and not the held rates of other pairs", async (store) => {
    const inverse = newRate("USD/EUR", "0.8714", SAME);
    const held = newRate("EUR/USD", "114.76", NEWER, "ecb");
    const otherHeld = newRate("USD/EUR", "87.14", NEWER, "ecb");
    await storeRates(store, [EUR_USD, inverse]);
    await updateRates(store, [held, otherHeld], cautious);

    const removed = await store.rates.remove(pairOf("EUR/USD"), BY);

    assert.deepEqual(removed, { rate: { ...EUR_USD, suspendedAt: undefined }, held });
    assert.equal(await store.rates.releaseHeld(pairOf("EUR/USD"), headersOf, BY), undefined);
    assert.deepEqual(await store.rates.listHeld(), [
      { ...otherHeld, heldAt: NOW, servedRate: inverse.rate },
    ]);
  });

  test("a removed pair can be stored again, also with an older rate and by another source", async (store) => {
    await storeRates(store, [EUR_USD]);
    await store.rates.remove(pairOf("EUR/USD"), BY);
    const older = newRate("EUR/USD", "1.1", OLDER, "other");

    assert.deepEqual(await updateRates(store, [older], cautious), ["store"]);
    assert.deepEqual(await store.rates.list(), [{ ...older, suspendedAt: undefined }]);
  });

  test("removing a rate forgets the validators of its source only, and an unknown pair none", async (store) => {
    for (const [source, pair] of [
      ["cnb", "EUR/CZK"],
      ["ecb", "EUR/USD"],
    ] as const) {
      await store.sources.add(source, NOW);
      const publication = { source, receivedAt: NOW, documents: [], validators: "{}" };
      await updateRates(store, [newRate(pair, "1.1476", SAME, source)], cautious, { publication });
    }
    const validators = async () =>
      (await store.sources.list()).map((state) => `${state.source} ${state.validators}`);

    await store.rates.remove(pairOf("USD/EUR"), BY);
    assert.deepEqual(await validators(), ["cnb {}", "ecb {}"]);

    await store.rates.remove(pairOf("EUR/USD"), BY);
    assert.deepEqual(await validators(), ["cnb {}", "ecb undefined"]);
  });

  test("of several removals of a pair at once, one returns the rate", async (store, _, other) => {
    const stores = [store, other];
    await storeRates(store, [EUR_USD]);

    const removals = [...stores, ...stores].map(({ rates }) => rates.remove(pairOf("EUR/USD"), BY));

    const removed = (await Promise.all(removals)).filter((found) => found !== undefined);
    assert.deepEqual(removed, [{ rate: { ...EUR_USD, suspendedAt: undefined }, held: undefined }]);
  });

  test("a pair can be suspended and resumed, and stays suspended when a newer rate is stored", async (store) => {
    const jpy = newRate("EUR/JPY", "182.85", SAME);
    await storeRates(store, [EUR_USD, jpy]);
    const suspensions = async () =>
      (await store.rates.list()).map(({ suspendedAt }) => suspendedAt);

    assert.equal(await store.rates.suspend(pairOf("EUR/USD"), BY), true);
    assert.deepEqual(await suspensions(), [undefined, NOW]);

    await storeRates(store, [newRate("EUR/USD", "1.15", NEWER)]);
    assert.deepEqual(await suspensions(), [undefined, NOW]);

    assert.equal(await store.rates.resume(pairOf("EUR/USD"), BY), true);
    assert.deepEqual(await suspensions(), [undefined, undefined]);
    assert.equal(await store.rates.resume(pairOf("EUR/USD"), BY), true);
    assert.equal(await store.rates.suspend(pairOf("EUR/GBP"), BY), false);
    assert.equal((await store.rates.list("EUR")).length, 2);
  });
}
