import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { seedFromSnapshot } from "../../../../src/rates/import/seed.ts";
import { packContent } from "../../../../src/rates/sources/fetching/content.ts";
import { sourceNames } from "../../../../src/rates/sources/fetching/registry.ts";
import { dateIn } from "../../../../src/rates/sources/rules/publication-time.ts";
import { createSqliteDatabase } from "../../../contract/sqlite-database.ts";
import { BY } from "../../../contract/suite/origins.ts";
import { headersOf } from "../../../support/rates.ts";
import { publisherOf } from "../publishers/recorded.ts";

interface Publication {
  readonly source: string;
  readonly table?: string;
  readonly publisher: string;
  readonly published_on: string;
  readonly as_of: string;
  readonly terms: string;
  readonly rates: readonly (readonly [base: string, quote: string, rate: string])[];
}

interface Snapshot {
  readonly format: string;
  readonly publications: readonly Publication[];
}

const path = new URL("../../../../snapshot/rates.json", import.meta.url);
const snapshot: Snapshot = JSON.parse(await readFile(path, "utf8"));

function rateOf(source: string, base: string, quote: string): string | undefined {
  return snapshot.publications
    .filter((publication) => publication.source === source)
    .flatMap((publication) => publication.rates)
    .find((rate) => rate[0] === base && rate[1] === quote)?.[2];
}

test("when two publications contain a pair, a new store gets the earlier one's rate", async () => {
  await using database = await createSqliteDatabase();
  const store = database.openStore();
  const asOf = "2026-03-13T15:00:00Z";
  const quotation = (rate: string) => ({ base: "EUR", quote: "USD", rate, asOf });
  const pound = { ...quotation("0.87"), quote: "GBP" };
  const publishedOn = "2026-03-13";
  const publications = [
    { source: "ecb", publishedOn, quotations: [quotation("1.1476")] },
    { source: "ust", publishedOn, quotations: [quotation("1.14"), pound] },
  ];

  const by = { origin: BY, headersOf, packContent };
  const snapshot = { publications, fileName: "rates.json", content: Buffer.from("{}") };
  await seedFromSnapshot(store.rates, by, () => snapshot);

  const stored = (await store.rates.list()).map(({ source, quote, rate }) => [source, quote, rate]);
  assert.deepEqual(stored, [
    ["ust", "GBP", "0.87"],
    ["ecb", "USD", "1.1476"],
  ]);
});

test("the publications are in the order of precedence, of all publishers that are on by default", () => {
  assert.equal(snapshot.format, "kurs-snapshot/1");
  const names = snapshot.publications.map(({ source, table = "" }) => `${source} ${table}`.trim());
  assert.deepEqual(names, ["ecb", "cnb", "nbp A", "nbp B", "norges", "dnb", "nbrm"]);
  const sources = new Set(snapshot.publications.map(({ source }) => source));
  assert.deepEqual([...sources], sourceNames.onByDefault);
});

test("there are 299 distinct pairs of two symbols, each with a decimal text above zero", () => {
  const all = snapshot.publications.flatMap(({ source, rates }) =>
    rates.map((rate) => ({ source, rate })),
  );
  for (const { source, rate } of all) {
    const shown = `${source}: ${JSON.stringify(rate)}`;
    const [base, quote, figure] = rate;
    assert.match(rate.join(" "), /^[A-Z0-9]{2,10} [A-Z0-9]{2,10} (?:0|[1-9]\d*)(?:\.\d+)?$/, shown);
    assert.notEqual(base, quote, shown);
    assert.equal(typeof figure, "string", shown);
    assert.match(figure, /[1-9]/, shown);
  }
  const pairs = all.map(({ source, rate: [base, quote] }) => `${source} ${base}/${quote}`);
  assert.equal(new Set(pairs).size, pairs.length, "no publisher has a pair twice");
  assert.equal(new Set(pairs.map((pair) => pair.split(" ")[1])).size, 299);
});

test("every publication has its terms, and the date that a fetch of its publisher computes", () => {
  for (const publication of snapshot.publications) {
    const { source, published_on: date, as_of: asOf } = publication;
    assert.match(date, /^\d{4}-\d{2}-\d{2}$/);
    assert.match(asOf, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:00\.000000000Z$/);
    assert.equal(dateIn(asOf, publisherOf(source).publishedAt?.timeZone ?? "UTC"), date, source);
    assert.ok(publication.publisher.length > 0);
    assert.match(publication.terms, /\.$/);
  }
  const times = snapshot.publications.map(({ as_of }) => as_of.slice(11, 16));
  assert.equal(times.join(" "), "15:00 12:30 11:00 11:00 15:00 15:00 23:00");
});

const rates: readonly (readonly [source: string, pair: string, rate: string | undefined])[] = [
  ["ecb", "EUR USD", "1.1476"],
  ["ecb", "EUR ISK", "144.20"],
  ["nbp", "PAB PLN", "3.6770"],
  // The publisher's direction alone.
  ["ecb", "USD EUR", undefined],
  // Rates per 100 or 1,000 units have their point moved.
  ["cnb", "HUF CZK", "0.06392"],
  ["norges", "ISK NOK", "0.078"],
  ["dnb", "IDR DKK", "0.000385"],
  // Index numbers are not included.
  ["norges", "TWI NOK", undefined],
  ["norges", "I44 NOK", undefined],
];

test("the snapshot has the publishers' figures, in their direction and per unit", () => {
  for (const [source, pair, rate] of rates) {
    const [base = "", quote = ""] = pair.split(" ");
    assert.equal(rateOf(source, base, quote), rate, `${source} ${pair}`);
  }
});
