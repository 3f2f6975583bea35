import assert from "node:assert/strict";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import type { HeadersOf } from "../../../src/rates/served/headers.ts";
import { createUpdatePolicy } from "../../../src/rates/served/rules/update-policy.ts";
import { headersOf, signedHeadersOf } from "../../support/rates.ts";
import { newSigningKey } from "../../support/signatures.ts";
import type { StoreTest } from "./database.ts";
import { BY, NOW } from "./origins.ts";
import { EUR_USD, newRate, pairOf, storeRates, updateRates } from "./rates-stored.ts";

const cautious = createUpdatePolicy({ rateSources: [], maxRateJump: "0.5" as Decimal });

const OLDER = "2026-03-13T14:59:59.999999999Z";
const SAME = "2026-03-13T15:00:00Z";
const NEWER = "2026-03-13T15:00:00.000000001Z";

export function rateSuite(test: StoreTest): void {
  test("rates are listed with their exact digits, ordered by pair, all or those of one base", async (store) => {
    const long = `0.${"0123456789".repeat(6)}01`;
    const usd = newRate("USD/EUR", long, "2026-03-31T04:00:00Z", "ust");
    const isk = newRate("EUR/ISK", "144.20", "2026-03-13T15:00:00.123456789Z", "ecb");

    assert.deepEqual(await storeRates(store, []), []);
    assert.deepEqual([await store.rates.hasAny(), await store.rates.list()], [false, []]);

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

  test("a rate with the same time or a newer one replaces the stored rate", async (store) => {
    await storeRates(store, [EUR_USD]);

    assert.deepEqual(await storeRates(store, [newRate("EUR/USD", "1.15", SAME, "ecb")]), ["store"]);
    const [corrected] = await store.rates.list();
    assert.deepEqual([corrected?.rate, corrected?.source], ["1.15", "ecb"]);

    assert.deepEqual(await storeRates(store, [newRate("EUR/USD", "1.16", NEWER)]), ["store"]);
    const [newest] = await store.rates.list();
    assert.deepEqual([newest?.rate, newest?.asOf], ["1.16", NEWER]);
  });

  test("a rate that jumps is held beside the stored one until it is dropped, replaced or released", async (store) => {
    await storeRates(store, [EUR_USD]);
    const pair = pairOf("EUR/USD");
    const held = newRate("EUR/USD", "114.76", NEWER, "ecb");
    const newer = newRate("EUR/USD", "1.15", NEWER);
    const listed = { ...held, date: "2026-03-13", heldAt: NOW, servedRate: EUR_USD.rate };

    for (const rate of [newRate("EUR/USD", "9", NEWER), held]) {
      assert.deepEqual(await updateRates(store, [rate], cautious), ["hold"]);
    }
    assert.equal((await store.rates.list())[0]?.rate, EUR_USD.rate);
    assert.deepEqual(await store.rates.listHeld(), [listed]);
    assert.equal(await store.rates.dropHeld(pair, BY), true);
    assert.equal(await store.rates.dropHeld(pair, BY), false);
    assert.equal((await store.rates.list())[0]?.rate, EUR_USD.rate);

    assert.deepEqual(await updateRates(store, [held], cautious), ["hold"]);
    await updateRates(store, [newer], cautious);
    assert.deepEqual(await store.rates.listHeld(), []);
    // Dropped before it was stated again, it waits for another decision.
    assert.equal(await store.contradictions.drop(pair, BY), 1);

    assert.deepEqual(await updateRates(store, [held], cautious), ["hold"]);
    assert.deepEqual(await store.rates.releaseHeld(pair, headersOf, BY), held);
    assert.equal(await store.rates.releaseHeld(pair, headersOf, BY), undefined);
    assert.deepEqual(await store.rates.list(), [{ ...held, suspendedAt: undefined }]);
    assert.deepEqual(await store.rates.listHeld(), []);
  });

  test("a removed rate is returned with the held one, its pair is unknown until it is stored again, and others stay", async (store) => {
    const inverse = newRate("USD/EUR", "0.8714", SAME);
    const held = newRate("EUR/USD", "114.76", NEWER, "ecb");
    const otherHeld = newRate("USD/EUR", "87.14", NEWER, "ecb");
    await storeRates(store, [EUR_USD, inverse]);
    await updateRates(store, [held, otherHeld], cautious);
    await store.rates.suspend(pairOf("EUR/USD"), BY);

    const removed = await store.rates.remove(pairOf("EUR/USD"), BY);

    assert.deepEqual(removed, { rate: { ...EUR_USD, suspendedAt: NOW }, held });
    assert.deepEqual(await store.rates.list(), [{ ...inverse, suspendedAt: undefined }]);
    assert.deepEqual(await store.rates.listHeld(), [
      { ...otherHeld, date: "2026-03-13", heldAt: NOW, servedRate: inverse.rate },
    ]);
    assert.equal(await store.rates.releaseHeld(pairOf("EUR/USD"), headersOf, BY), undefined);
    assert.equal(await store.rates.remove(pairOf("EUR/USD"), BY), undefined);
    assert.equal(await store.rates.resume(pairOf("EUR/USD"), BY), false);
    const older = newRate("EUR/USD", "1.1", OLDER, "other");
    assert.deepEqual(await updateRates(store, [older], cautious), ["store"]);
    assert.deepEqual((await store.rates.list("EUR"))[0], { ...older, suspendedAt: undefined });
  });

  test("removing a rate forgets the validators of its source only, and an unknown pair none", async (store) => {
    for (const [source, pair] of [
      ["cnb", "EUR/CZK"],
      ["ecb", "EUR/USD"],
    ] as const) {
      await store.sources.add(source, NOW);
      const publication = { source, receivedAt: NOW, documents: [] };
      const change = { publication, validators: "{}" };
      await updateRates(store, [newRate(pair, "1.1476", SAME, source)], cautious, change);
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
    for (const unknown of ["EUR/GBP", "USD/EUR"]) {
      assert.equal(await store.rates.suspend(pairOf(unknown), BY), false);
    }
    assert.equal((await store.rates.list("EUR")).length, 2);
  });
}

/** More than two pages of the rates whose headers are renewed. */
const MANY = 1_101;

const manyRates = Array.from({ length: MANY }, (_, index) =>
  newRate(`A${index}/USD`, "1.5", NEWER),
);

const idsIn = (keys: readonly { readonly id: string }[]) => keys.map(({ id }) => id);

export function signatureSuite(test: StoreTest): void {
  test("a key is in use while a rate is stored with its signature, also of a suspended pair", async (store) => {
    const [first, second] = [newSigningKey(), newSigningKey()];
    await store.signingKeys.add(newSigningKey(), NOW);
    assert.deepEqual(await store.signingKeys.listInUse(), []);

    await updateRates(store, [EUR_USD], cautious, { headersOf: signedHeadersOf(first) });
    await store.rates.suspend(pairOf("EUR/USD"), BY);
    const { id, publicKey } = first;
    assert.deepEqual(await store.signingKeys.listInUse(), [{ id, publicKey }]);

    const next = newRate("EUR/USD", "1.15", NEWER);
    await updateRates(store, [next], cautious, { headersOf: signedHeadersOf(second) });
    assert.deepEqual(idsIn(await store.signingKeys.listInUse()), [second.id]);

    await store.rates.remove(pairOf("EUR/USD"), BY);
    assert.deepEqual(await store.signingKeys.listInUse(), []);
  });

  test("rates without a signature get one, page by page, and on request every rate a new one", async (store) => {
    const [first, second] = [newSigningKey(), newSigningKey()];
    await updateRates(store, [EUR_USD], cautious, { headersOf: signedHeadersOf(first) });
    await storeRates(store, manyRates);
    const renew = (which: "without a signature" | "all") =>
      store.rates.renewHeaders(which, signedHeadersOf(second), NOW);

    assert.deepEqual(
      [await renew("without a signature"), await renew("without a signature")],
      [MANY, 0],
    );
    const inUse = idsIn(await store.signingKeys.listInUse());
    assert.deepEqual(inUse.sort(), [first.id, second.id].sort());

    assert.equal(await renew("all"), MANY + 1);
    assert.deepEqual(idsIn(await store.signingKeys.listInUse()), [second.id]);
  });

  test("headers that no response can have are made anew, with or without a key, and others stay", async (store, engine) => {
    const [first, second] = [newSigningKey(), newSigningKey()];
    const lira = newRate("USD/TRY", "42.5", NEWER, "tcmb");
    await updateRates(store, [EUR_USD, lira], cautious, { headersOf: signedHeadersOf(first) });
    const rows = () => engine.query("SELECT quote, headers, signing_key FROM rates ORDER BY quote");
    const [right, other] = await rows();

    for (const damaged of ['["rate-source","tcmb;name=\\"Türkiye\\""]', "{}", "null"]) {
      for (const [which, made, keyId] of [
        ["without a signature", signedHeadersOf(second), second.id],
        ["without headers", headersOf, null],
      ] as const) {
        const damage = "UPDATE rates SET headers = $1, signing_key = $2 WHERE source = 'tcmb'";
        await engine.query(damage, damaged, first.id);
        const renew = () => store.rates.renewHeaders(which, made, NOW);
        assert.deepEqual([await renew(), await renew()], [1, 0], damaged);
        const [mended, same] = await rows();
        assert.equal(mended?.signing_key, keyId);
        assert.equal(mended.headers, made.rate(lira, NOW).json);
        assert.deepEqual(same, other);
      }
    }
    assert.match(String(right?.headers), /^\["rate-source","tcmb;name=%\\"Central Bank of the /);
  });

  test("a rate that is replaced while rates are signed keeps its own signature", async (store) => {
    const [first, second] = [newSigningKey(), newSigningKey()];
    await updateRates(store, [EUR_USD], cautious, { headersOf: signedHeadersOf(first) });
    const slow = signedHeadersOf(second);
    const next = newRate("EUR/USD", "1.15", NEWER);
    const interrupted: HeadersOf = {
      ...slow,
      async rates(rates, storedAt) {
        const headers = await slow.rates(rates, storedAt);
        await updateRates(store, [next], cautious, { headersOf: signedHeadersOf(first) });
        return headers;
      },
    };

    const signed = await store.rates.renewHeaders("all", interrupted, NOW);

    assert.equal(signed, 0);
    assert.deepEqual(idsIn(await store.signingKeys.listInUse()), [first.id]);
    assert.deepEqual(await store.rates.list(), [{ ...next, suspendedAt: undefined }]);
  });
}
