import assert from "node:assert/strict";
import type { SelectedFigures } from "../../../src/export/store.ts";
import type { Figure, FigureKind } from "../../../src/rates/figures.ts";
import type { FigurePlace } from "../../../src/series/store.ts";
import type { Store } from "../../../src/store.ts";
import { NOW, newHash, newRate, type StoreTest, storeRates } from "./database.ts";

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
async function add(store: Store, figures: readonly Figure[], ...names: string[]): Promise<number> {
  const documents = (names.length === 0 ? ["rates.xml"] : names).map((name) => {
    const stored = { hash: newHash(), bytes: 5, compressed: Buffer.from(name) };
    return { name, receivedAt: NOW, stored };
  });
  const source = figures[0]?.source ?? "ecb";
  const publication = { source, receivedAt: NOW, documents };
  return (await store.figures.addFigures(figures, publication, NOW)).publication;
}

const EVERY: SelectedFigures = {
  ...{ source: undefined, kind: "middle", exceptions: [], from: undefined, to: undefined },
  pairs: { first: { base: "", quote: "" }, last: { base: "~", quote: "~" } },
};

/** The selected figures, read in pages of a size, from the first of the pairs on. */
async function list(store: Store, change: Partial<SelectedFigures>, limit = 100) {
  const selected = { ...EVERY, ...change };
  const found: string[] = [];
  let after: FigurePlace = {
    ...selected.pairs.first,
    ...{ source: "", kind: "", date: "", asOf: "", revision: 0 },
  };
  for (;;) {
    const page = await store.exports.figures(selected, after, limit);
    assert.ok(page.length <= limit);
    const last = page.at(-1);
    if (last === undefined) return found;
    for (const { base, quote, source, kind, date, revision, rate } of page) {
      found.push(`${base}/${quote} ${source} ${kind} ${date} ${revision}: ${rate}`);
    }
    after = last;
  }
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
  await add(store, [
    figureOf("ecb", "EUR/CZK", "2026-03-13", "24.400"),
    figureOf("ecb", "EUR/USD", "2026-03-12", "1.1500"),
  ]);
  await add(store, [figureOf("ecb", "EUR/USD", "2026-03-12", "1.1501")]);
  await add(store, [
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
  });

  test("an export reads one source's series, of its owner or not", async (store) => {
    await twoOwners(store);

    assert.deepEqual(await list(store, { source: "cnb" }), [
      "EUR/CZK cnb middle 2026-03-13 1: 24.41",
      "EUR/USD cnb middle 2026-03-13 1: 1.15",
    ]);
    assert.deepEqual(await list(store, { source: "cnb", kind: "selling" }), [
      "EUR/CZK cnb selling 2026-03-13 1: 24.5",
    ]);
    assert.deepEqual(await list(store, { source: "nbp" }), []);
  });

  test("an export reads the figures of some pairs and dates", async (store) => {
    await twoOwners(store);
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

  test("an export knows the first and last date of each pair", async (store) => {
    await twoOwners(store);
    const spans = async (change: Partial<SelectedFigures>) =>
      (await store.exports.spans({ ...EVERY, ...change })).map(({ base, quote, first, last }) =>
        [base, quote, first, last].join(" "),
      );

    assert.deepEqual(await spans({}), [
      "EUR CZK 2026-03-13 2026-03-13",
      "EUR USD 2026-03-12 2026-03-13",
    ]);
    assert.deepEqual(await spans({ pairs: pairs("EUR/USD"), to: "2026-03-12" }), [
      "EUR USD 2026-03-12 2026-03-12",
    ]);
    assert.deepEqual(await spans({ source: "nbp" }), []);
  });

  test("documents are listed in pages: those of a source, or of its figures of a date", async (store) => {
    const early = await add(store, [figureOf("ecb", "EUR/USD", "2026-03-12", "1.1")], "a", "b");
    const late = await add(store, [figureOf("ecb", "EUR/USD", "2026-03-13", "1.2")], "c");
    await add(store, [figureOf("cnb", "EUR/USD", "2026-03-12", "1.3")], "d");
    const documents = async (date: string | undefined, limit: number) => {
      const selected = { source: "ecb", date };
      const names: string[] = [];
      for (let after = { publication: 0, number: 0 }; ; ) {
        const page = await store.exports.documents(selected, after, limit);
        const last = page.at(-1);
        if (last === undefined) return names.join(" ");
        names.push(...page.map(({ number, name, bytes }) => `${number}${name}${bytes}`));
        after = last;
      }
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
