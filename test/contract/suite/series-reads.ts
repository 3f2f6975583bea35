import assert from "node:assert/strict";
import type { Figure, FigureKind } from "../../../src/rates/figures.ts";
import type { Publication } from "../../../src/rates/history.ts";
import { type Comparison, compareSources, differsBy } from "../../../src/series/compare.ts";
import { NEWEST } from "../../../src/series/rules.ts";
import type { FigureCursor, FigurePlace, StoredFigure } from "../../../src/series/store.ts";
import type { Decimal } from "../../../src/shared/decimal.ts";
import type { Store } from "../../../src/store.ts";
import { headersOf } from "../../support/rates.ts";
import {
  BY,
  byAt,
  contentsOf,
  NOW,
  newRate,
  pairOf,
  type StoreTest,
  storeRates,
  type TestDatabase,
} from "./database.ts";

const PAIR = pairOf("EUR/CZK");

/** A figure of a date, whose time is 15:00 UTC of that date. */
function figureOf(source: string, pair: string, date: string, rate: string): Figure {
  const time = `${date}T15:00:00Z`;
  return { ...newRate(pair, rate, time, source), date, kind: "middle", validUntil: undefined };
}

const publicationOf = (source: string): Publication => ({
  source,
  receivedAt: NOW,
  documents: [{ name: "rates.xml", receivedAt: NOW, stored: undefined }],
});

/** Adds figures of one source, with a publication of their own. @returns its id. */
async function add(store: Store, ...figures: readonly Figure[]): Promise<number> {
  const placed = figures.map((figure) => ({ ...figure, place: 0 }));
  const publication = publicationOf(figures[0]?.source ?? "ecb");
  return (await store.figures.addFigures(placed, publication, NOW)).publication;
}

const textsOf = (figures: readonly StoredFigure[]) =>
  figures.map(({ source, date, revision, rate }) => `${source} ${date} ${revision}: ${rate}`);

const START: FigureCursor = { date: "", asOf: "", revision: 0 };
const FIRST: FigurePlace = { ...START, base: "", quote: "", source: "", kind: "" };
const EVERY = { from: undefined, to: undefined, after: START, limit: 100 };

const seriesOf = (source: string, kind: FigureKind = "middle") => ({ ...PAIR, source, kind });

export function seriesReadSuite(test: StoreTest): void {
  readTests(test);
  publicationTests(test);
  comparisonTests(test);
  ownerTests(test);
}

function readTests(test: StoreTest): void {
  test("the series of a pair are those of its sources and kinds, in their order", async (database) => {
    const store = database.openStore();
    const buying = { ...figureOf("cnb", "EUR/CZK", "2026-03-13", "24"), kind: "buying" } as const;
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-13", "24.4"));
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-13", "24.41"), buying);
    await add(store, figureOf("nbp", "EUR/PLN", "2026-03-13", "4.2"));

    assert.deepEqual(await store.series.seriesOf(PAIR), [
      seriesOf("cnb", "buying"),
      seriesOf("cnb"),
      seriesOf("ecb"),
    ]);
    assert.deepEqual(await store.series.seriesOf(pairOf("CZK/EUR")), []);
  });

  test("a series is listed by its dates with amendments, in pages and within dates", async (database) => {
    const store = database.openStore();
    const days = ["2026-03-11", "2026-03-12", "2026-03-13"];
    // Not in the order of their dates, as an archive comes after a day.
    for (const [index, day] of days.toReversed().entries()) {
      await add(store, figureOf("ecb", "EUR/CZK", day, `24.${index}`));
    }
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-12", "24.9"));
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-12", "25"));
    const list = async (query: Partial<typeof EVERY> | object) =>
      textsOf(await store.series.figures(seriesOf("ecb"), { ...EVERY, ...query }));
    const all = [
      "ecb 2026-03-11 1: 24.2",
      "ecb 2026-03-12 1: 24.1",
      "ecb 2026-03-12 2: 24.9",
      "ecb 2026-03-13 1: 24.0",
    ];

    assert.deepEqual(await list({}), all);
    assert.deepEqual(await list({ from: "2026-03-12" }), all.slice(1));
    assert.deepEqual(await list({ to: "2026-03-12" }), all.slice(0, 3));
    assert.deepEqual(await list({ from: "2026-03-14" }), []);
    const paged: StoredFigure[] = [];
    for (let after = START; ; ) {
      const page = await store.series.figures(seriesOf("ecb"), { ...EVERY, after, limit: 1 });
      const [figure] = page;
      if (figure === undefined) break;
      paged.push(figure);
      after = figure;
    }
    assert.deepEqual(textsOf(paged), all);
    assert.equal(paged[0]?.storedAt, NOW);
  });

  test("the figure of a date is the last revision of it or of the date before", async (database) => {
    const store = database.openStore();
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-12", "24.1"));
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-12", "24.9"));
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-16", "24.5"));
    const on = async (date: string) =>
      (await store.series.figureOnOrBefore(seriesOf("ecb"), date))?.rate;

    assert.equal(await on("2026-03-11"), undefined);
    assert.equal(await on("2026-03-12"), "24.9");
    assert.equal(await on("2026-03-15"), "24.9");
    assert.equal(await on(NEWEST), "24.5");
    assert.equal(await store.series.figureOnOrBefore(seriesOf("ecb", "buying"), NEWEST), undefined);
  });

  test("the figure from a date on is the last revision of it or of the date after", async (database) => {
    const store = database.openStore();
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-12", "24.1"));
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-16", "24.5"));
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-16", "24.9"));
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-13", "25"));
    const from = async (date: string) =>
      (await store.series.figureOnOrAfter(seriesOf("ecb"), date))?.rate;

    assert.equal(await from(""), "24.1");
    assert.equal(await from("2026-03-12"), "24.1");
    assert.equal(await from("2026-03-13"), "24.9");
    assert.equal(await from("2026-03-17"), undefined);
    assert.equal(await store.series.figureOnOrAfter(seriesOf("ecb", "buying"), ""), undefined);
  });

  test("the pairs with series are listed once each, in pages, all or those of a base", async (database) => {
    const store = database.openStore();
    const names = ["AUD/USD", "EUR/AUD", "EUR/CZK", "EUR1/AA", "USD/AUD"];
    for (const source of ["ecb", "cnb"]) {
      await add(store, ...names.map((name) => figureOf(source, name, "2026-03-13", "1.5")));
    }
    const list = async (limit: number, base?: string) => {
      const found: string[] = [];
      let after = { base: "", quote: "" };
      for (;;) {
        const page = await store.series.pairs(after, limit, base);
        assert.ok(page.length <= limit);
        found.push(...page.map((pair) => `${pair.base}/${pair.quote}`));
        const last = page.at(-1);
        if (last === undefined) return found;
        after = last;
      }
    };

    assert.deepEqual(await list(2), names);
    assert.deepEqual(await list(100), names);
    assert.deepEqual(await list(1, "EUR"), ["EUR/AUD", "EUR/CZK"]);
    assert.deepEqual(await list(100, "GBP"), []);
  });
}

function publicationTests(test: StoreTest): void {
  test("the figures of a publication are listed in pages and counted", async (database) => {
    const store = database.openStore();
    const figures = ["EUR/CZK", "EUR/PLN"].flatMap((pair) =>
      ["2026-03-12", "2026-03-13"].map((date) => figureOf("ecb", pair, date, "5")),
    );
    const publication = await add(store, ...figures);
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-13", "24"));
    const listed: string[] = [];
    for (let after = FIRST; ; ) {
      const [figure] = await store.series.figuresOf(publication, after, 1);
      if (figure === undefined) break;
      listed.push(`${figure.quote} ${figure.date}`);
      after = figure;
    }

    assert.deepEqual(listed, [
      ...["CZK 2026-03-12", "CZK 2026-03-13"],
      ...["PLN 2026-03-12", "PLN 2026-03-13"],
    ]);
    assert.equal(await store.series.countOf(publication), 4);
  });

  test("figures whose document is missing are suspect", async (database) => {
    const store = database.openStore();
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-12", "24.2"));
    await add(store, figureOf("nbp", "EUR/PLN", "2026-03-12", "4.2"));
    await add(store, figureOf("import", "EUR/PLN", "2026-03-12", "4.3"));
    const change = (set: string, source: string) =>
      database.withoutForeignKeys(`UPDATE figures SET ${set} WHERE source = '${source}'`);
    await change("publication = 99", "cnb");
    await change("place = 7", "nbp");
    await change("source = 'norges'", "import");

    const suspects = await store.series.suspects(FIRST, 100);

    assert.deepEqual(
      suspects.map(({ figure, publisher, hasDocument }) => [figure.source, publisher, hasDocument]),
      [
        ["cnb", undefined, false],
        ["nbp", "nbp", false],
        ["norges", "import", true],
      ],
    );
    assert.equal((await store.series.suspects(FIRST, 100, "nbp")).length, 1);
    assert.equal(await store.series.countOf(3), 0);
  });
}

const everyPair = { base: undefined, quote: undefined };

async function compared(store: Store, above = "0"): Promise<string[]> {
  const pages = await Array.fromAsync(compareSources(store.series, everyPair));
  return pages
    .flat()
    .filter((comparison) => differsBy(comparison, above as Decimal))
    .map(
      ({ base, quote, date, lowest, highest }: Comparison) =>
        `${base}/${quote} ${date}: ${lowest.source} ${lowest.rate}, ${highest.source} ${highest.rate}`,
    );
}

function comparisonTests(test: StoreTest): void {
  test("sources are compared by the newest date that two of them have", async (database) => {
    const store = database.openStore();
    await add(
      store,
      figureOf("ecb", "EUR/CZK", "2026-03-12", "24.40"),
      figureOf("ecb", "EUR/CZK", "2026-03-13", "24.50"),
    );
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-12", "24.41"));
    // An amendment is what counts.
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-12", "24.42"));
    await add(store, figureOf("nbp", "EUR/CZK", "2026-02-12", "20"));

    assert.deepEqual(await compared(store), ["EUR/CZK 2026-03-12: ecb 24.40, cnb 24.42"]);
    assert.deepEqual(await compared(store, "0.0008"), ["EUR/CZK 2026-03-12: ecb 24.40, cnb 24.42"]);
    assert.deepEqual(await compared(store, "0.00082"), []);
  });

  test("equal values, other dates, other kinds and single sources are no difference", async (database) => {
    const store = database.openStore();
    const buying = { ...figureOf("cnb", "EUR/NOK", "2026-03-13", "9"), kind: "buying" } as const;
    await add(
      store,
      figureOf("ecb", "EUR/CZK", "2026-03-13", "24.4"),
      figureOf("ecb", "EUR/NOK", "2026-03-13", "11"),
      figureOf("ecb", "EUR/PLN", "2026-03-13", "4.2"),
      figureOf("ecb", "EUR/SEK", "2026-03-13", "11"),
    );
    await add(
      store,
      figureOf("cnb", "EUR/CZK", "2026-03-13", "24.400"),
      buying,
      figureOf("cnb", "EUR/SEK", "2026-03-12", "12"),
    );

    assert.deepEqual(await compared(store), []);
  });

  test("of three sources the lowest and the highest are shown, and every pair of many pages", async (database) => {
    const store = database.openStore();
    const quotes = Array.from({ length: 450 }, (_, index) => `Q${1000 + index}`);
    for (const [source, rate] of [
      ["ecb", "1.2"],
      ["cnb", "1.1"],
      ["nbp", "1.3"],
    ] as const) {
      await add(
        store,
        ...quotes.map((quote) => figureOf(source, `EUR/${quote}`, "2026-03-13", rate)),
      );
    }

    assert.deepEqual(
      await compared(store),
      quotes.map((quote) => `EUR/${quote} 2026-03-13: cnb 1.1, nbp 1.3`),
    );
  });
}

const LATER = "2026-11-21T13:00:00.000Z";

/** A store that serves the ECB's figure, and has one of CNB in its series. */
async function storeWithTwo(database: TestDatabase, cnb: Figure) {
  const store = database.openStore();
  await storeRates(store, [newRate("EUR/CZK", "24.40", "2026-03-13T15:00:00Z", "ecb")]);
  await add(store, cnb);
  const own = (source = "cnb") =>
    store.series.own(seriesOf(source), {
      ...{ maxRateJump: "0.5" as Decimal, headersOf, origin: byAt(LATER) },
    });
  return { store, own };
}

async function served(store: Store): Promise<string> {
  const [rate] = await store.rates.list("EUR");
  return `${rate?.source} ${rate?.rate}`;
}

const eventsOf = async (store: Store) =>
  (await store.audit.ofPair("EUR/CZK", { at: "", id: "" }, 10)).map(
    ({ action, details }) => `${action} ${details.source} ${details.former_source}`,
  );

function ownerTests(test: StoreTest): void {
  test("a pair given to a source serves its newest figure, which its history has", async (database) => {
    const newest = figureOf("cnb", "EUR/CZK", "2026-03-16", "24.55");
    const { store, own } = await storeWithTwo(database, newest);
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-12", "24.10"));

    const change = await own();

    assert.equal(change.decision, "serve");
    assert.equal(await served(store), "cnb 24.55");
    assert.deepEqual(await eventsOf(store), ["rate.owned cnb ecb"]);
    const last = await store.history.lastStoredBy(PAIR, LATER);
    assert.deepEqual([last?.sequence, last?.source, last?.rate], [2, "cnb", "24.55"]);
    assert.deepEqual(await store.history.differing({ base: "", quote: "" }, 10), []);
    assert.deepEqual(await store.history.misnamed({ base: "", quote: "" }, 10), []);
    assert.equal((await own()).decision, "owned");
  });

  test("a figure that jumps is held, and its release gives the pair to its source", async (database) => {
    const jump = figureOf("cnb", "EUR/CZK", "2026-03-16", "99");
    const { store, own } = await storeWithTwo(database, jump);

    assert.equal((await own()).decision, "hold");

    assert.equal(await served(store), "ecb 24.40");
    assert.deepEqual(await eventsOf(store), ["rate.held cnb undefined"]);
    await store.rates.releaseHeld(PAIR, headersOf, BY);
    assert.equal(await served(store), "cnb 99");
  });

  test("a figure that is served replaces a held one", async (database) => {
    const { store, own } = await storeWithTwo(
      database,
      figureOf("cnb", "EUR/CZK", "2026-03-16", "24.55"),
    );
    const engine = database.openEngine();
    await engine.query(
      "INSERT INTO held_rates (base, quote, rate, as_of, source, held_at, publication) " +
        "SELECT 'EUR', 'CZK', '99', '2026-03-16T15:00:00.000000000Z', 'ecb', $1, max(id) " +
        "FROM publications",
      NOW,
    );

    await own();

    assert.deepEqual(await store.rates.listHeld(), []);
    assert.equal(await served(store), "cnb 24.55");
  });

  test("an older figure, and a source without one, change nothing", async (database) => {
    const older = figureOf("cnb", "EUR/CZK", "2026-03-12", "24.55");
    const { own } = await storeWithTwo(database, older);
    const engine = database.openEngine();
    const before = await contentsOf(engine);

    assert.equal((await own()).decision, "older");
    assert.equal((await own("nbp")).decision, "none");
    assert.equal((await own("ecb")).decision, "owned");

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("a table that has not begun is left for the newest figure that is valid", async (database) => {
    const begun = figureOf("cnb", "EUR/CZK", "2026-11-01", "24.55");
    const { store, own } = await storeWithTwo(database, { ...begun, validUntil: "2026-11-30" });
    const next = figureOf("cnb", "EUR/CZK", "2026-12-01", "24.60");
    await add(store, { ...next, validUntil: "2026-12-31" });
    await add(store, {
      ...figureOf("nbp", "EUR/CZK", "2026-11-22", "24.5"),
      validUntil: "2026-11-29",
    });

    assert.equal((await own("nbp")).decision, "none");
    assert.equal(await served(store), "ecb 24.40");
    assert.equal((await own()).decision, "serve");
    assert.equal(await served(store), "cnb 24.55");
  });

  test("a pair that is not served is served again", async (database) => {
    const { store, own } = await storeWithTwo(
      database,
      figureOf("cnb", "EUR/CZK", "2026-03-12", "24.55"),
    );
    await store.rates.remove(PAIR, byAt(NOW));

    const change = await own();

    assert.ok(change.decision === "serve");
    assert.equal(change.former, undefined);
    assert.equal(await served(store), "cnb 24.55");
    assert.equal((await store.history.lastStoredBy(PAIR, LATER))?.sequence, 2);
  });

  test("two sources that are given a pair at once are given it one after the other", async (database) => {
    const { store, own } = await storeWithTwo(
      database,
      figureOf("cnb", "EUR/CZK", "2026-03-16", "24.55"),
    );
    await add(store, figureOf("nbp", "EUR/CZK", "2026-03-16", "24.56"));

    const changes = await Promise.all([own("cnb"), own("nbp")]);

    assert.deepEqual(
      changes.map(({ decision }) => decision),
      ["serve", "serve"],
    );
    assert.equal((await store.history.lastStoredBy(PAIR, LATER))?.sequence, 3);
    assert.deepEqual(await store.history.differing({ base: "", quote: "" }, 10), []);
  });
}
