import assert from "node:assert/strict";
import type { SelectedFigures } from "../../../src/bookkeeping/export/store.ts";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import { type Comparison, compareSources, differsBy } from "../../../src/rates/series/compare.ts";
import { NEWEST } from "../../../src/rates/series/rules.ts";
import type { FigureCursor, FigurePlace, StoredFigure } from "../../../src/rates/series/store.ts";
import type { Figure, FigureKind } from "../../../src/rates/served/figures.ts";
import { pairName } from "../../../src/rates/served/rules/symbol.ts";
import { headersOf } from "../../support/rates.ts";
import type { Store } from "../../support/stores.ts";
import { contentsOf, inPages, type StoreTest, valuesOf } from "./database.ts";
import { BY, byAt, NOW, newHash } from "./origins.ts";
import { newRate, pairOf, storeRates } from "./rates-stored.ts";

const PAIR = pairOf("EUR/CZK");

/** A figure of a date, whose time is 15:00 UTC of that date. */
const figureOf = (
  source: string,
  pair: string,
  date: string,
  rate: string,
  kind: FigureKind = "middle",
): Figure => ({
  ...newRate(pair, rate, `${date}T15:00:00Z`, source),
  ...{ date, kind, validUntil: undefined, place: 0 },
});

/** Adds figures of one source, with a publication of some documents. @returns its id. */
async function addWith(store: Store, figures: readonly Figure[], ...names: string[]) {
  const documents = (names.length === 0 ? ["rates.xml"] : names).map((name) => {
    const stored = { hash: newHash(), bytes: 5, compressed: Buffer.from(name) };
    return { name, receivedAt: NOW, stored };
  });
  const source = figures[0]?.source ?? "ecb";
  const publication = { source, receivedAt: NOW, documents };
  return (await store.figures.addFigures(figures, publication, NOW)).publication;
}

/** Adds figures of one source, with a publication of their own. @returns its id. */
const add = (store: Store, ...figures: readonly Figure[]) => addWith(store, figures);

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
  test("the series of a pair are those of its sources and kinds, in their order", async (store) => {
    const buying = figureOf("cnb", "EUR/CZK", "2026-03-13", "24", "buying");
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

  test("a series is listed by its dates with amendments, in pages and within dates", async (store) => {
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
    const read = (after: FigureCursor, limit: number) =>
      store.series.figures(seriesOf("ecb"), { ...EVERY, after, limit });
    const paged = await inPages(START, read, 1);
    assert.deepEqual(textsOf(paged), all);
    assert.equal(paged[0]?.storedAt, NOW);
  });

  test("the figure of a date is the last revision of it or of the date before, or after", async (store) => {
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-12", "24.1"));
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-12", "24.9"));
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-16", "24.4"));
    await add(store, figureOf("ecb", "EUR/CZK", "2026-03-16", "24.5"));
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-13", "25"));
    const around = async (date: string, kind?: FigureKind) => {
      const series = seriesOf("ecb", kind);
      const before = await store.series.figureOnOrBefore(series, date);
      return [before?.rate, (await store.series.figureOnOrAfter(series, date))?.rate];
    };

    assert.deepEqual(await around(""), [undefined, "24.9"]);
    assert.deepEqual(await around("2026-03-11"), [undefined, "24.9"]);
    assert.deepEqual(await around("2026-03-12"), ["24.9", "24.9"]);
    assert.deepEqual(await around("2026-03-13"), ["24.9", "24.5"]);
    assert.deepEqual(await around("2026-03-17"), ["24.5", undefined]);
    assert.deepEqual(await around(NEWEST), ["24.5", undefined]);
    assert.deepEqual(await around("2026-03-12", "buying"), [undefined, undefined]);
  });

  test("the pairs with series are listed once each, in pages, all or those of a base", async (store) => {
    const names = ["AUD/USD", "EUR/AUD", "EUR/CZK", "EUR1/AA", "USD/AUD"];
    for (const source of ["ecb", "cnb"]) {
      await add(store, ...names.map((name) => figureOf(source, name, "2026-03-13", "1.5")));
    }
    const list = async (limit: number, base?: string) => {
      const read = (after: { base: string; quote: string }, count: number) =>
        store.series.pairs(after, count, base);
      return (await inPages({ base: "", quote: "" }, read, limit)).map(pairName);
    };

    assert.deepEqual(await list(2), names);
    assert.deepEqual(await list(100), names);
    assert.deepEqual(await list(1, "EUR"), ["EUR/AUD", "EUR/CZK"]);
    assert.deepEqual(await list(100, "GBP"), []);
  });
}

function publicationTests(test: StoreTest): void {
  test("the figures of a publication are listed in pages and counted", async (store) => {
    const figures = ["EUR/CZK", "EUR/PLN"].flatMap((pair) =>
      ["2026-03-12", "2026-03-13"].map((date) => figureOf("ecb", pair, date, "5")),
    );
    const publication = await add(store, ...figures);
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-13", "24"));
    const read = (after: FigurePlace, limit: number) =>
      store.series.figuresOf(publication, after, limit);

    const listed = await inPages(FIRST, read, 1);

    assert.deepEqual(
      listed.map(({ quote, date }) => `${quote} ${date}`),
      ["CZK 2026-03-12", "CZK 2026-03-13", "PLN 2026-03-12", "PLN 2026-03-13"],
    );
    assert.equal(await store.series.countOf(publication), 4);
  });

  test("figures whose document is missing are suspect", async (store, _, __, {
    withoutForeignKeys,
  }) => {
    await add(store, figureOf("cnb", "EUR/CZK", "2026-03-12", "24.2"));
    await add(store, figureOf("nbp", "EUR/PLN", "2026-03-12", "4.2"));
    await add(store, figureOf("import", "EUR/PLN", "2026-03-12", "4.3"));
    const change = (set: string, source: string) =>
      withoutForeignKeys(`UPDATE figures SET ${set} WHERE source = '${source}'`);
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
  test("sources are compared by the newest date that two of them have", async (store) => {
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

  test("equal values, other dates, other kinds and single sources are no difference", async (store) => {
    const buying = figureOf("cnb", "EUR/NOK", "2026-03-13", "9", "buying");
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

  test("of three sources the lowest and the highest are shown, and every pair of many pages", async (store) => {
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

/** Serves the ECB's figure, and adds one of CNB to its series. @returns how a source gets the pair. */
async function storeTwo(store: Store, cnb: Figure) {
  await storeRates(store, [newRate("EUR/CZK", "24.40", "2026-03-13T15:00:00Z", "ecb")]);
  await add(store, cnb);
  return (source = "cnb") =>
    store.series.own(seriesOf(source), {
      ...{ maxRateJump: "0.5" as Decimal, headersOf, origin: byAt(LATER) },
    });
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
  test("a pair given to a source serves its newest figure, which its history has", async (store) => {
    const newest = figureOf("cnb", "EUR/CZK", "2026-03-16", "24.55");
    const own = await storeTwo(store, newest);
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

  test("a figure that jumps is held, and its release gives the pair to its source", async (store) => {
    const jump = figureOf("cnb", "EUR/CZK", "2026-03-16", "99");
    const own = await storeTwo(store, jump);

    assert.equal((await own()).decision, "hold");

    assert.equal(await served(store), "ecb 24.40");
    assert.deepEqual(await eventsOf(store), ["rate.held cnb undefined"]);
    await store.rates.releaseHeld(PAIR, headersOf, BY);
    assert.equal(await served(store), "cnb 99");
  });

  test("a figure that is served replaces a held one", async (store, engine) => {
    const own = await storeTwo(store, figureOf("cnb", "EUR/CZK", "2026-03-16", "24.55"));
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

  test("an older figure, and a source without one, change nothing", async (store, engine) => {
    const older = figureOf("cnb", "EUR/CZK", "2026-03-12", "24.55");
    const own = await storeTwo(store, older);
    const before = await contentsOf(engine);

    assert.equal((await own()).decision, "older");
    assert.equal((await own("nbp")).decision, "none");
    assert.equal((await own("ecb")).decision, "owned");

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("a table that has not begun is left for the newest figure that is valid", async (store) => {
    const begun = figureOf("cnb", "EUR/CZK", "2026-11-01", "24.55");
    const own = await storeTwo(store, { ...begun, validUntil: "2026-11-30" });
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

  test("a pair that is not served is served again", async (store) => {
    const own = await storeTwo(store, figureOf("cnb", "EUR/CZK", "2026-03-12", "24.55"));
    await store.rates.remove(PAIR, byAt(NOW));

    const change = await own();

    assert.ok(change.decision === "serve");
    assert.equal(change.former, undefined);
    assert.equal(await served(store), "cnb 24.55");
    assert.equal((await store.history.lastStoredBy(PAIR, LATER))?.sequence, 2);
  });

  test("two sources that are given a pair at once are given it one after the other", async (store) => {
    const own = await storeTwo(store, figureOf("cnb", "EUR/CZK", "2026-03-16", "24.55"));
    await add(store, figureOf("nbp", "EUR/CZK", "2026-03-16", "24.56"));

    const changes = await Promise.all([own("cnb"), own("nbp")]);

    assert.deepEqual(valuesOf(changes, "decision"), ["serve", "serve"]);
    assert.equal((await store.history.lastStoredBy(PAIR, LATER))?.sequence, 3);
    assert.deepEqual(await store.history.differing({ base: "", quote: "" }, 10), []);
  });
}

const SELECTED: SelectedFigures = {
  ...{ source: undefined, kind: "middle", exceptions: [], from: undefined, to: undefined },
  pairs: { first: { base: "", quote: "" }, last: { base: "~", quote: "~" } },
};

/** The selected figures, read in pages of a size, from the first of the pairs on. */
async function list(store: Store, change: Partial<SelectedFigures>, limit = 100) {
  const selected = { ...SELECTED, ...change };
  const read = (after: FigurePlace, count: number) => store.exports.figures(selected, after, count);
  const found = await inPages({ ...FIRST, ...selected.pairs.first }, read, limit);
  return found.map(({ base, quote, source, kind, date, revision, rate }) => {
    return `${base}/${quote} ${source} ${kind} ${date} ${revision}: ${rate}`;
  });
}

const pairs = (first: string, last = first) => {
  const [from, to] = [first, last].map((name) => name.split("/"));
  return {
    first: { base: from?.[0] ?? "", quote: from?.[1] ?? "" },
    last: { base: to?.[0] ?? "", quote: to?.[1] ?? "" },
  };
};

/** EUR/CZK belongs to cnb, EUR/USD to ecb; both have a series of both. */
async function twoOwners(store: Store): Promise<void> {
  await storeRates(store, [newRate("EUR/CZK", "24.41", "2026-03-13T15:00:00Z", "cnb")]);
  await storeRates(store, [newRate("EUR/USD", "1.1476", "2026-03-13T15:00:00Z", "ecb")]);
  await addWith(store, [
    figureOf("ecb", "EUR/CZK", "2026-03-13", "24.400"),
    figureOf("ecb", "EUR/USD", "2026-03-12", "1.1500"),
  ]);
  await addWith(store, [figureOf("ecb", "EUR/USD", "2026-03-12", "1.1501")]);
  await addWith(store, [
    figureOf("cnb", "EUR/USD", "2026-03-13", "1.15"),
    figureOf("cnb", "EUR/CZK", "2026-03-13", "24.5", "selling"),
  ]);
}

const OF_OWNERS = [
  "EUR/CZK cnb middle 2026-03-13 1: 24.41",
  "EUR/USD ecb middle 2026-03-12 1: 1.1500",
  "EUR/USD ecb middle 2026-03-12 2: 1.1501",
  "EUR/USD ecb middle 2026-03-13 1: 1.1476",
];

export function exportSuite(test: StoreTest): void {
  test("an export reads the series of each pair's owner in pages, with every revision", async (store) => {
    await twoOwners(store);

    assert.deepEqual(await list(store, {}), OF_OWNERS);
    assert.deepEqual(await list(store, {}, 1), OF_OWNERS);
    const kinds = { exceptions: [["cnb", "selling"]] } as const;
    assert.deepEqual((await list(store, kinds))[0], "EUR/CZK cnb selling 2026-03-13 1: 24.5");
    assert.deepEqual(await list(store, { kind: "buying" }), []);

    // One source's series, of its owner or not.
    assert.deepEqual(await list(store, { source: "cnb" }), [
      "EUR/CZK cnb middle 2026-03-13 1: 24.41",
      "EUR/USD cnb middle 2026-03-13 1: 1.15",
    ]);
    assert.deepEqual(await list(store, { source: "cnb", kind: "selling" }), [
      "EUR/CZK cnb selling 2026-03-13 1: 24.5",
    ]);
    assert.deepEqual(await list(store, { source: "nbp" }), []);

    // Some pairs and dates.
    await storeRates(store, [newRate("EUR1/AA", "2", "2026-03-13T15:00:00Z", "ecb")]);

    assert.deepEqual(await list(store, { from: "2026-03-13" }, 1), [
      OF_OWNERS[0],
      OF_OWNERS[3],
      "EUR1/AA ecb middle 2026-03-13 1: 2",
    ]);
    assert.deepEqual(await list(store, { to: "2026-03-12" }), OF_OWNERS.slice(1, 3));
    assert.deepEqual(await list(store, { pairs: pairs("EUR/USD") }, 1), OF_OWNERS.slice(1));
    assert.deepEqual(await list(store, { pairs: pairs("EUR/", "EUR/~") }), OF_OWNERS);
  });

  test("an export knows the pairs of the selected figures", async (store) => {
    await twoOwners(store);
    const found = async (change: Partial<SelectedFigures>) =>
      (await store.exports.pairs({ ...SELECTED, ...change })).map(pairName);

    assert.deepEqual(await found({}), ["EUR/CZK", "EUR/USD"]);
    assert.deepEqual(await found({ to: "2026-03-12" }), ["EUR/USD"]);
    assert.deepEqual(await found({ pairs: pairs("EUR/CZK") }), ["EUR/CZK"]);
    assert.deepEqual(await found({ source: "nbp" }), []);
  });

  test("documents are listed in pages: those of a source, or of its figures of a date", async (store) => {
    const early = await addWith(store, [figureOf("ecb", "EUR/USD", "2026-03-12", "1.1")], "a", "b");
    const late = await addWith(store, [figureOf("ecb", "EUR/USD", "2026-03-13", "1.2")], "c");
    await addWith(store, [figureOf("cnb", "EUR/USD", "2026-03-12", "1.3")], "d");
    const documents = async (date: string | undefined, limit: number) => {
      const read = (after: { publication: number; number: number }, count: number) =>
        store.exports.documents({ source: "ecb", date }, after, count);
      const found = await inPages({ publication: 0, number: 0 }, read, limit);
      return found.map(({ number, name, bytes }) => `${number}${name}${bytes}`).join(" ");
    };

    assert.equal(await documents(undefined, 1), "1a5 2b5 1c5");
    assert.equal(await documents(undefined, 100), "1a5 2b5 1c5");
    assert.equal(await documents("2026-03-12", 1), "1a5 2b5");
    assert.equal(await documents("2026-03-14", 1), "");
    const newest = (source: string, date?: string) => store.exports.newest({ source, date });
    assert.deepEqual(await newest("ecb"), { publication: late, count: 2 });
    assert.deepEqual(await newest("ecb", "2026-03-12"), { publication: early, count: 1 });
    assert.equal(await newest("ecb", "2026-03-14"), undefined);
    assert.equal(await newest("nbp"), undefined);
  });
}
