import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { newRateCli } from "../../support/rate-cli.ts";
import { bodiesOf } from "./publishers/recorded.ts";

/** A store that fetches recorded documents, and what it has then. */
async function newStore(sources: readonly string[], now: string) {
  const cli = await newRateCli(sources);
  cli.clock.set(now);
  return {
    ...cli,
    query(sql: string): readonly string[] {
      using database = new DatabaseSync(join(cli.dataDirectory, "kurs.db"));
      return database
        .prepare(sql)
        .all()
        .map((row) => Object.values(row).join(" "));
    },
  };
}

const FIGURES = "SELECT base, quote, kind, date, revision, rate FROM figures";

/** The figures and the dates in recorded documents, and how many pairs are served. */
const DOCUMENTS = {
  mnb: [8, 2, 4],
  bcb: [24, 2, 10],
  norges: [5, 3, 3],
  riksbank: [4, 3, 2],
  ust: [5, 2, 3],
} as const;

for (const [key, expected] of Object.entries(DOCUMENTS)) {
  test(`${key}: each valid line of its recorded documents is in its series, the newest are served`, async () => {
    await using store = await newStore([key], "2026-09-23T12:00:00.000Z");
    const queries = key === "bcb" ? bcbQueries : undefined;

    await store.refresh(key, bodiesOf(key), queries);

    const counts = store.query(
      "SELECT count(*), count(DISTINCT date), (SELECT count(*) FROM rates) FROM figures",
    );
    assert.deepEqual(counts, [expected.join(" ")]);
    assert.deepEqual(
      store.query(`SELECT base, quote FROM rates r WHERE as_of < (SELECT max(as_of) FROM figures f
        WHERE f.base = r.base AND f.quote = r.quote)`),
      [],
    );
    assert.match(await store.output("rates verify"), /^verified.* series: \d+ figures verified\n$/);
  });
}

const bcbQueries = "AUD CAD CHF DKK EUR GBP JPY NOK SEK USD"
  .split(" ")
  .map((currency) => `?@moeda='${currency}'`);

test("after an outage the days between are stored, as are a correction and a figure that is late", async () => {
  await using store = await newStore(["mnb"], "2025-03-28T12:00:00.000Z");
  const [document = ""] = bodiesOf("mnb").map(String);
  const late = document.replace(/&lt;Rate unit="100" curr="IDR"&gt;2,25&lt;\/Rate&gt;/, "");
  assert.notEqual(late, document);
  await store.refresh("mnb", [late.replace("371,80", "371,08")]);

  await store.refresh("mnb", [document]);

  assert.deepEqual(store.query(`${FIGURES} WHERE date = '2025-03-27' ORDER BY base, revision`), [
    "EUR HUF middle 2025-03-27 1 400.47",
    "IDR HUF middle 2025-03-27 1 0.0225",
    "JPY HUF middle 2025-03-27 1 2.4634",
    "USD HUF middle 2025-03-27 1 371.08",
    "USD HUF middle 2025-03-27 2 371.80",
  ]);
  assert.deepEqual(store.query("SELECT base, rate FROM rates WHERE base = 'USD'"), ["USD 373.72"]);
});

test("two lines of a currency in one month are both stored, and the one that is valid is served", async () => {
  await using store = await newStore(["hmrc"], "2026-08-05T12:00:00.000Z");
  const [document = ""] = bodiesOf("hmrc").map(String);
  const usd = "USA,Dollar,USD,1.3367,01/08/2026,31/08/2026";
  const corrected = document.replace(
    usd,
    "USA,Dollar,USD,1.3367,01/08/2026,14/08/2026\nUSA,Dollar,USD,1.2105,15/08/2026,31/08/2026",
  );
  const named = async (date: string) =>
    /1\.\d{4}/.exec(await store.output(`rates for GBP USD ${date} --as uk-vat`))?.[0];
  const served = () => store.query("SELECT rate FROM rates WHERE quote = 'USD'").join();

  await store.refresh("hmrc", [corrected]);

  assert.deepEqual(await Promise.all(["2026-08-05", "2026-08-14", "2026-08-15"].map(named)), [
    "1.3367",
    "1.3367",
    "1.2105",
  ]);
  assert.equal(served(), "1.3367");
  assert.deepEqual(
    store.query("SELECT date, valid_until FROM figures WHERE quote = 'USD' ORDER BY date"),
    ["2026-08-01 2026-08-14", "2026-08-15 2026-08-31"],
  );
  assert.match(await store.output("rates verify"), /series: 7 figures verified\n$/);
  store.clock.set("2026-08-15T12:00:00.000Z");
  await store.refresh("hmrc", [corrected]);
  assert.equal(served(), "1.2105");
});

test("a figure of the next day that has a validity is served from its publication on", async () => {
  await using store = await newStore(["sfc"], "2026-03-20T23:31:00.000Z");

  await store.refresh("sfc", bodiesOf("sfc"));

  assert.match(await store.output("rates list USD COP"), /2026-03-21 +3704\.87 .* served$/m);
});

test("one document that fails does not keep the others out, and its source counts as failing", async () => {
  const [tableA = "", tableB = ""] = bodiesOf("nbp").map(String);
  for (const [failing, reason] of [
    [404, /responded with 404 \(http:\S+\?1\)$/],
    [500, /responded with 500 /],
    ["[]", /no rates in the response \(http:\S+\?1\)$/],
  ] as const) {
    await using store = await newStore(["nbp"], "2026-03-13T12:00:00.000Z");
    const { stored } = await store.refresh("nbp", [tableA, failing], undefined, reason);

    assert.equal(stored, 3);
    const state = async () => (await store.store.sources.list())[0];
    const first = await state();
    assert.match(first?.lastError ?? "", reason);
    assert.deepEqual([first?.failures, first?.lastSuccessAt], [1, undefined]);
    assert.equal(first?.newestAsOf, "2026-03-13T11:00:00.000000000Z");
    assert.match(await store.output("rates verify"), /series: 3 figures verified\n$/);

    await store.refresh("nbp", [tableA, tableB]);
    const second = await state();
    assert.deepEqual([second?.failures, second?.pairs], [0, 5]);
    // Only what was read has validators.
    const conditional = store.requests.slice(2).map((headers) => headers["if-none-match"]);
    assert.deepEqual(conditional.slice(0, 2), ['"1"', undefined]);
  }
  await using store = await newStore(["bcb"], "2026-03-06T20:00:00.000Z");
  const bodies: (Buffer | number)[] = [...bodiesOf("bcb")];
  const { stored } = await store.refresh(
    "bcb",
    bodies.with(4, 503),
    bcbQueries,
    /with 503 \(\S+EUR'\)$/,
  );
  assert.equal(stored, 9);
});

test("two figures of one pair and date are held, and served once the operator releases one", async () => {
  const [document = ""] = bodiesOf("bcra").map(String);
  const brl = (rate: string) =>
    `{"codigoMoneda":"BRL","descripcion":"REAL","tipoPase":0.18,"tipoCotizacion":${rate}},`;
  const contradictory = document.replace('{"codigoMoneda":"USD"', (usd) =>
    [brl("27.10000000"), brl("271.00000000"), usd].join("\n"),
  );
  await using store = await newStore(["bcra"], "2026-03-19T21:00:00.000Z");
  const held = async () => JSON.parse(await store.output("rates held --json"));

  const { held: count, stored } = await store.refresh("bcra", [contradictory]);

  assert.deepEqual([count, stored], [2, 3]);
  assert.deepEqual(
    (await held()).map((one: Record<string, unknown>) => [one.rate, one.served_rate, one.reason]),
    [
      ["27.10000000", null, "contradiction"],
      ["271.00000000", null, "contradiction"],
    ],
  );
  const [first] = await held();
  assert.match(first.document, /^https:\/\/api\.bcra\.gob\.ar\//);
  assert.match(
    await store.output("rates held"),
    /BRL\/ARS +271\.0+ +none .* one of several in http/,
  );
  assert.match(await store.failure("rates release BRL ARS"), /27\.10+ of 2026-03-19, 271\.0+ of/);

  assert.match(await store.output("rates release BRL ARS 271"), /271\.0+, is in .* and served\n$/);

  assert.deepEqual(await held(), []);
  assert.match(await store.output("rates verify"), /^verified 4 .* series: 4 figures verified\n$/);

  assert.equal((await store.refresh("bcra", [contradictory.replace("27.10", "27.20")])).held, 2);
  assert.equal(await store.output("rates drop BRL ARS"), "the held rates of BRL/ARS are deleted\n");
});
