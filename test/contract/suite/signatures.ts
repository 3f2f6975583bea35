import assert from "node:assert/strict";
import type { HeadersOf } from "../../../src/rates/headers.ts";
import { createUpdatePolicy } from "../../../src/rates/rules/update-policy.ts";
import type { Decimal } from "../../../src/shared/decimal.ts";
import { signedHeadersOf, headersOf as unsignedHeadersOf } from "../../support/rates.ts";
import { newSigningKey } from "../../support/signatures.ts";
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

const policy = createUpdatePolicy({ rateSources: [], maxRateJump: "0.5" as Decimal });

const NEWER = "2026-03-13T15:00:00.000000001Z";

/** More than two pages of the rates whose headers are renewed. */
const MANY = 1_101;

const manyRates = () =>
  Array.from({ length: MANY }, (_, index) => newRate(`A${index}/USD`, "1.5", NEWER));

const idsIn = (keys: readonly { readonly id: string }[]) => keys.map(({ id }) => id);

export function signatureSuite(test: StoreTest): void {
  test("a key is in use once a rate is stored with its signature, also of a suspended pair", async (store) => {
    const key = newSigningKey();
    const { id, publicKey } = key;
    await store.signingKeys.add(newSigningKey(), NOW);
    assert.deepEqual(await store.signingKeys.listInUse(), []);

    await updateRates(store, [EUR_USD], policy, { headersOf: signedHeadersOf(key) });
    await store.rates.suspend(pairOf("EUR/USD"), BY);

    assert.deepEqual(await store.signingKeys.listInUse(), [{ id, publicKey }]);
  });

  test("a key is no longer in use when its last rate is replaced or removed", async (store) => {
    const [first, second] = [newSigningKey(), newSigningKey()];
    await updateRates(store, [EUR_USD], policy, { headersOf: signedHeadersOf(first) });

    const next = newRate("EUR/USD", "1.15", NEWER);
    await updateRates(store, [next], policy, { headersOf: signedHeadersOf(second) });
    assert.deepEqual(idsIn(await store.signingKeys.listInUse()), [second.id]);

    await store.rates.remove(pairOf("EUR/USD"), BY);
    assert.deepEqual(await store.signingKeys.listInUse(), []);
  });

  test("rates without a signature get one, page by page, and those with one keep it", async (store) => {
    const [first, second] = [newSigningKey(), newSigningKey()];
    await updateRates(store, [EUR_USD], policy, { headersOf: signedHeadersOf(first) });
    await storeRates(store, manyRates());
    const renew = () =>
      store.rates.renewHeaders("without a signature", signedHeadersOf(second), NOW);

    assert.deepEqual([await renew(), await renew()], [MANY, 0]);

    const inUse = idsIn(await store.signingKeys.listInUse());
    assert.deepEqual(inUse.sort(), [first.id, second.id].sort());
  });

  test("headers that no response can have are made anew, with or without a key, and others stay", async (store, engine) => {
    const [first, second] = [newSigningKey(), newSigningKey()];
    const lira = newRate("USD/TRY", "42.5", NEWER, "tcmb");
    await updateRates(store, [EUR_USD, lira], policy, { headersOf: signedHeadersOf(first) });
    const rows = () => engine.query("SELECT quote, headers, signing_key FROM rates ORDER BY quote");
    const [right, other] = await rows();

    for (const damaged of ['["rate-source","tcmb;name=\\"Türkiye\\""]', "{}", "null"]) {
      for (const [which, headersOf, keyId] of [
        ["without a signature", signedHeadersOf(second), second.id],
        ["without headers", unsignedHeadersOf, null],
      ] as const) {
        const damage = "UPDATE rates SET headers = $1, signing_key = $2 WHERE source = 'tcmb'";
        await engine.query(damage, damaged, first.id);
        const renew = () => store.rates.renewHeaders(which, headersOf, NOW);
        assert.deepEqual([await renew(), await renew()], [1, 0], damaged);
        const [mended, same] = await rows();
        assert.equal(mended?.signing_key, keyId);
        assert.equal(mended.headers, headersOf.rate(lira, NOW).json);
        assert.deepEqual(same, other);
      }
    }
    assert.match(String(right?.headers), /^\["rate-source","tcmb;name=%\\"Central Bank of the /);
  });

  test("every rate is signed anew, once each", async (store) => {
    const [first, second] = [newSigningKey(), newSigningKey()];
    const rates = [EUR_USD, ...manyRates()];
    await updateRates(store, rates, policy, { headersOf: signedHeadersOf(first) });

    const signed = await store.rates.renewHeaders("all", signedHeadersOf(second), NOW);

    assert.equal(signed, MANY + 1);
    assert.deepEqual(idsIn(await store.signingKeys.listInUse()), [second.id]);
  });

  test("a rate that is replaced while rates are signed keeps its own signature", async (store) => {
    const [first, second] = [newSigningKey(), newSigningKey()];
    await updateRates(store, [EUR_USD], policy, { headersOf: signedHeadersOf(first) });
    const slow = signedHeadersOf(second);
    const next = newRate("EUR/USD", "1.15", NEWER);
    const interrupted: HeadersOf = {
      ...slow,
      async rates(rates, storedAt) {
        const headers = await slow.rates(rates, storedAt);
        await updateRates(store, [next], policy, { headersOf: signedHeadersOf(first) });
        return headers;
      },
    };

    const signed = await store.rates.renewHeaders("all", interrupted, NOW);

    assert.equal(signed, 0);
    assert.deepEqual(idsIn(await store.signingKeys.listInUse()), [first.id]);
    assert.deepEqual(await store.rates.list(), [{ ...next, suspendedAt: undefined }]);
  });
}
