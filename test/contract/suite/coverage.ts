import assert from "node:assert/strict";
import type { StoredPair } from "../../../src/rates/coverage/coverage.ts";
import type { AssetSymbol, Pair } from "../../../src/rates/served/rules/symbol.ts";
import type { Store } from "../../support/stores.ts";
import { inPages, type StoreTest } from "./database.ts";
import { BY, NOW } from "./origins.ts";
import { newRate, pairOf, storeRates } from "./rates-stored.ts";

const TIME = "2026-03-13T15:00:00Z";

/** Every pair, page by page. */
const allPairs = ({ coverage }: Store) =>
  inPages<StoredPair, Pair | undefined>(
    undefined,
    (after, limit) => coverage.pairs({ limit, after }),
    250,
  );

const EUR = "EUR" as AssetSymbol;

export function coverageSuite(test: StoreTest): void {
  test("the pages have every pair once, in the order of the symbols' bytes", async (store) => {
    assert.deepEqual(await store.coverage.sources(), []);
    assert.deepEqual(await store.coverage.pairs({ limit: 10, base: EUR }), []);
    assert.deepEqual(await allPairs(store), []);
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

  test("the pairs of a source, and those behind its newest figure, are in order and without suspended ones", async (store) => {
    assert.deepEqual(await store.coverage.pairsOfSource("ecb", 10), []);
    const earlier = "2026-03-12T15:00:00Z";
    await storeRates(store, [
      ...["EUR/USD", "EUR/JPY"].map((name) => newRate(name, "1.5", TIME, "ecb")),
      ...["EUR/ISK", "EUR/CHF"].map((name) => newRate(name, "1.5", earlier, "ecb")),
      newRate("USD/PLN", "3.6010", TIME, "nbp"),
      newRate("EUR/BRL", "6.1", earlier),
    ]);
    await store.rates.suspend(pairOf("EUR/ISK"), BY);
    const chf = pairOf("EUR/CHF");

    const ofSource = [chf, pairOf("EUR/JPY"), pairOf("EUR/USD")];
    assert.deepEqual(await store.coverage.pairsOfSource("ecb", 10), ofSource);
    assert.deepEqual(await store.coverage.pairsOfSource("ecb", 1), [chf]);
    await store.sources.add("ecb", TIME);
    assert.deepEqual(await store.sources.pairsBehind(), []);
    const { asOf: newestAsOf } = newRate("EUR/USD", "1", TIME);
    await store.sources.recordSuccess("ecb", { at: TIME, newestAsOf, nextAttemptAt: TIME });
    const { asOf } = newRate("EUR/CHF", "1", earlier);
    assert.deepEqual(await store.sources.pairsBehind(), [{ ...chf, source: "ecb", asOf }]);
  });

  test("a pair has its source, its time and whether it is suspended, and no figure", async (store) => {
    await storeRates(store, [
      newRate("EUR/USD", "1.1476", TIME, "ecb"),
      newRate("USD/PLN", "3.6010", TIME, "nbp"),
      newRate("EUR/ISK", "144.20", TIME),
    ]);
    await store.rates.suspend(pairOf("EUR/USD"), BY);
    const { asOf } = newRate("EUR/USD", "1", TIME);

    const [isk, usd, pln] = [
      { ...pairOf("EUR/ISK"), source: "import", asOf, isSuspended: false },
      { ...pairOf("EUR/USD"), source: "ecb", asOf, isSuspended: true },
      { ...pairOf("USD/PLN"), source: "nbp", asOf, isSuspended: false },
    ] as const;
    assert.deepEqual(await allPairs(store), [isk, usd, pln]);
    const ofBase = (limit: number, after?: Pair) =>
      store.coverage.pairs({ base: EUR, limit, after });
    assert.deepEqual(await ofBase(10), [isk, usd]);
    assert.deepEqual(await ofBase(1), [isk]);
    assert.deepEqual(await ofBase(10, pairOf("EUR/ISK")), [usd]);
    assert.deepEqual(await ofBase(10, pairOf("EUR/USD")), []);
  });

  test("the sources are those that own a pair or were ever fetched", async (store) => {
    await storeRates(store, [
      newRate("EUR/USD", "1.1476", TIME, "ecb"),
      newRate("EUR/JPY", "171.2", TIME, "ecb"),
      newRate("USD/PLN", "3.6010", TIME, "nbp"),
      newRate("BTC/EUR", "71000", TIME),
      newRate("XAU/USD", "2000.5", TIME, "import:closing"),
    ]);
    await store.sources.add("cnb", TIME);
    await store.sources.add("nbp", TIME);
    const at = "2026-11-21T12:00:00.000Z";
    const { asOf: newestAsOf } = newRate("USD/PLN", "1", TIME);
    const success = { at, newestAsOf, nextAttemptAt: at };
    await store.sources.recordSuccess("nbp", success);
    await store.sources.recordFailure("cnb", { at, reason: "no response", nextAttemptAt: at });

    const sources = await store.coverage.sources();

    const sound = { failures: 0, lastErrorAt: undefined };
    const never = { lastSuccessAt: undefined, newestAsOf: undefined };
    const { asOf } = newRate("EUR/USD", "1", TIME);
    assert.deepEqual(
      sources.toSorted((one, other) => (one.source < other.source ? -1 : 1)),
      [
        { source: "cnb", pairs: 0, ...never, failures: 1, lastErrorAt: at },
        { source: "ecb", pairs: 2, lastSuccessAt: undefined, newestAsOf: asOf, ...sound },
        { source: "import", pairs: 1, ...never, ...sound },
        { source: "import:closing", pairs: 1, ...never, ...sound },
        { source: "nbp", pairs: 1, lastSuccessAt: at, newestAsOf, ...sound },
      ],
    );
  });
}

const YEAR_2024 = { from: "2024-01-01", to: "2024-12-31" };
const YEAR_2025 = { from: "2025-01-01", to: "2025-12-31" };

export function backfillSuite(test: StoreTest): void {
  const everything = { from: "", to: "" };
  const cnb = { source: "cnb", asked: everything };
  const others = [
    { source: "nbp", asked: everything },
    { source: "cnb", asked: { from: "2024-01-01", to: "" } },
    { source: "cnb", asked: { from: "", to: "2025-12-31" } },
  ];

  test("a completed range of a backfill is remembered once, for its command", async ({
    backfills,
  }, _, other) => {
    await backfills.complete(cnb, YEAR_2025, NOW);
    await backfills.complete(cnb, YEAR_2024, NOW);
    await backfills.complete(cnb, YEAR_2024, NOW);

    assert.deepEqual(await other.backfills.completedRanges(cnb), [YEAR_2024, YEAR_2025]);
    for (const one of others) assert.deepEqual(await other.backfills.completedRanges(one), []);
  });

  test("a finished backfill forgets the ranges of its command only", async ({ backfills }) => {
    for (const one of [cnb, ...others]) await backfills.complete(one, YEAR_2024, NOW);

    await backfills.forget(cnb);

    assert.deepEqual(await backfills.completedRanges(cnb), []);
    for (const one of others) assert.deepEqual(await backfills.completedRanges(one), [YEAR_2024]);
  });
}
