import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { seedFromSnapshot } from "../../../src/import/seed.ts";
import { packContent } from "../../../src/provenance/documents/content.ts";
import { sourceNames } from "../../../src/sources/fetching/registry.ts";
import { publishers } from "../../../src/sources/publishers/catalogue.ts";
import { dateIn } from "../../../src/sources/rules/publication-time.ts";
import { createSqliteDatabase } from "../../contract/sqlite-database.ts";
import { BY } from "../../contract/suite/database.ts";
import { headersOf } from "../../support/rates.ts";

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

const path = new URL("../../../snapshot/rates.json", import.meta.url);
const snapshot: Snapshot = JSON.parse(await readFile(path, "utf8"));

const symbol = /^[A-Z0-9]{2,10}$/;
const decimal = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

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

test("the publications are in the order of precedence", () => {
  assert.equal(snapshot.format, "kurs-snapshot/1");
  const names = snapshot.publications.map(({ source, table = "" }) => `${source} ${table}`.trim());
  assert.deepEqual(names, ["ecb", "cnb", "nbp A", "nbp B", "norges"]);
});

test("only publishers that are on by default have figures in the snapshot, all of these", () => {
  const sources = new Set(snapshot.publications.map(({ source }) => source));
  assert.deepEqual([...sources], sourceNames.onByDefault);
});

test("every rate has two symbols and a decimal text above zero", () => {
  for (const { source, rates } of snapshot.publications) {
    for (const rate of rates) {
      const shown = `${source}: ${JSON.stringify(rate)}`;
      assert.equal(rate.length, 3, shown);
      const [base, quote, figure] = rate;
      assert.match(base, symbol, shown);
      assert.match(quote, symbol, shown);
      assert.notEqual(base, quote, shown);
      assert.equal(typeof figure, "string", shown);
      assert.match(figure, decimal, shown);
      assert.match(figure, /[1-9]/, shown);
    }
  }
});

test("every publication has its date and its terms", () => {
  for (const publication of snapshot.publications) {
    assert.match(publication.published_on, /^\d{4}-\d{2}-\d{2}$/);
    assert.match(publication.as_of, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:00\.000000000Z$/);
    assert.equal(publication.as_of.length, 30);
    assert.equal(publication.as_of.slice(0, 10), publication.published_on);
    assert.ok(publication.publisher.length > 0);
    assert.match(publication.terms, /\.$/);
  }
});

test("as_of is the documented time of publication in UTC", () => {
  const times = snapshot.publications.map(
    ({ source, as_of }) => `${source} ${as_of.slice(11, 16)}`,
  );
  assert.deepEqual(times, ["ecb 15:00", "cnb 12:30", "nbp 11:00", "nbp 11:00", "norges 15:00"]);
});

test("rates keep their publisher's digits, trailing zeros and direction", () => {
  assert.equal(rateOf("ecb", "EUR", "USD"), "1.1476");
  assert.equal(rateOf("ecb", "EUR", "ISK"), "144.20");
  assert.equal(rateOf("nbp", "PAB", "PLN"), "3.6770");
  assert.equal(rateOf("ecb", "USD", "EUR"), undefined);
});

test("rates per 100 or 1,000 units have their point moved", () => {
  assert.equal(rateOf("cnb", "HUF", "CZK"), "0.06392");
  assert.equal(rateOf("norges", "ISK", "NOK"), "0.078");
});

test("no publisher has a pair twice", () => {
  const seen = snapshot.publications.flatMap(({ source, rates }) =>
    rates.map(([base, quote]) => `${source} ${base}/${quote}`),
  );
  assert.equal(new Set(seen).size, seen.length);
});

test("there are over 150 distinct pairs", () => {
  const pairs = snapshot.publications.flatMap(({ rates }) =>
    rates.map(([base, quote]) => `${base}/${quote}`),
  );
  assert.ok(new Set(pairs).size > 150, `only ${new Set(pairs).size}`);
});

test("index numbers are not included as rates", () => {
  assert.equal(rateOf("norges", "TWI", "NOK"), undefined);
  assert.equal(rateOf("norges", "I44", "NOK"), undefined);
});

test("a bundled publication has the date that a fetch of its publisher computes", () => {
  for (const { source, published_on: date, as_of: asOf } of snapshot.publications) {
    const zone = publishers.find(({ key }) => key === source)?.publishedAt?.timeZone ?? "UTC";
    assert.equal(dateIn(asOf, zone), date, source);
  }
});
