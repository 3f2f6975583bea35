import assert from "node:assert/strict";
import type { StoredPair } from "../../../src/rates/coverage.ts";
import { type AssetSymbol, pairName } from "../../../src/rates/rules/symbol.ts";
import type { Store } from "../../../src/store.ts";
import { BY, newRate, pairOf, type StoreTest, storeRates } from "./database.ts";

const TIME = "2026-03-13T15:00:00Z";

/** Every pair, in the order of the pages. */
async function allPairs({ coverage }: Store): Promise<readonly StoredPair[]> {
  const all: StoredPair[] = [];
  let page = await coverage.pageAfter(undefined);
  while (page.length > 0) {
    all.push(...page);
    page = await coverage.pageAfter(all.at(-1));
  }
  return all;
}

const describe = (pairs: readonly StoredPair[]) =>
  pairs.map((pair) => `${pairName(pair)} ${pair.state}`);

export function coverageSuite(test: StoreTest): void {
  test("a new store has version 0, no pairs and no sources", async (database) => {
    const store = database.openStore();

    assert.equal(await store.coverage.version(), 0);
    assert.deepEqual(await store.coverage.sources(), []);
    assert.deepEqual(await allPairs(store), []);
    assert.deepEqual(await store.coverage.ofBase("EUR" as AssetSymbol, 10), []);
  });

  test("the pages have every pair once, in the order of the symbols' bytes", async (database) => {
    const store = database.openStore();
    const bases = ["EUR", "EUR1", "1INCH", "A9", "AA", "ZZZZZZZZZZ"];
    const quotes = Array.from({ length: 401 }, (_, index) => `Q${index}`);
    const rates = bases.flatMap((base) =>
      quotes.map((quote) => newRate(`${base}/${quote}`, "1.5", TIME, "ecb")),
    );
    await storeRates(store, rates);

    const names = (await allPairs(store)).map(({ base, quote }) => [base, quote]);

    const expected = rates.map(({ base, quote }) => [base, quote]);
    assert.deepEqual(
      names,
      expected.sort(([base = "", quote = ""], [other = "", otherQuote = ""]) =>
        base === other ? (quote < otherQuote ? -1 : 1) : base < other ? -1 : 1,
      ),
    );
  });

  test("a pair has its source, its time and whether it is suspended, and no figure", async (database) => {
    const store = database.openStore();
    await storeRates(store, [
      newRate("EUR/USD", "1.1476", TIME, "ecb"),
      newRate("USD/PLN", "3.6010", TIME, "nbp"),
      newRate("EUR/ISK", "144.20", TIME),
    ]);
    await store.rates.suspend(pairOf("EUR/USD"), BY);

    const isk = "EUR/ISK import 2026-03-13T15:00:00.000000000Z";
    const usd = "EUR/USD ecb 2026-03-13T15:00:00.000000000Z 1";
    const pln = "USD/PLN nbp 2026-03-13T15:00:00.000000000Z";
    assert.deepEqual(describe(await allPairs(store)), [isk, usd, pln]);
    assert.deepEqual(describe(await store.coverage.ofBase("EUR" as AssetSymbol, 10)), [isk, usd]);
    assert.deepEqual(describe(await store.coverage.ofBase("EUR" as AssetSymbol, 1)), [isk]);
  });

  test("the sources are those that own a pair or were ever fetched", async (database) => {
    const store = database.openStore();
    await storeRates(store, [
      newRate("EUR/USD", "1.1476", TIME, "ecb"),
      newRate("EUR/JPY", "171.2", TIME, "ecb"),
      newRate("USD/PLN", "3.6010", TIME, "nbp"),
    ]);
    await store.sources.add("cnb", TIME);
    await store.sources.add("nbp", TIME);
    const at = "2026-11-21T12:00:00.000Z";
    const { asOf: newestAsOf } = newRate("USD/PLN", "1", TIME);
    const success = { at, newestAsOf, nextAttemptAt: at };
    await store.sources.recordSuccess("nbp", success);

    const sources = await store.coverage.sources();

    const never = { lastSuccessAt: undefined, newestAsOf: undefined };
    assert.deepEqual(
      sources.toSorted((one, other) => (one.source < other.source ? -1 : 1)),
      [
        { source: "cnb", ownsPairs: false, ...never },
        { source: "ecb", ownsPairs: true, ...never },
        { source: "nbp", ownsPairs: true, lastSuccessAt: at, newestAsOf },
      ],
    );
  });

  test("each change of the pairs counts, and a repeated rate does not", async (database) => {
    const store = database.openStore();
    const other = database.openStore();
    const rate = newRate("EUR/USD", "1.1476", TIME, "ecb");
    const versions: number[] = [];
    const note = async () => versions.push(await other.coverage.version());

    await storeRates(store, [rate]);
    await note();
    await storeRates(store, [rate]);
    await note();
    await store.rates.suspend(rate, BY);
    await note();
    await store.rates.resume(rate, BY);
    await note();
    await store.rates.remove(rate, BY);
    await note();

    assert.deepEqual(versions, [1, 1, 2, 3, 4]);
  });
}
