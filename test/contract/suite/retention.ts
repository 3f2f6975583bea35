import assert from "node:assert/strict";
import { type Engine, statement } from "../../../src/platform/storage/engine.ts";
import { headersOf } from "../../support/rates.ts";
import type { Store } from "../../support/stores.ts";
import { contentsOf, type StoreTest, valuesOf } from "./database.ts";
import { BY, byAt } from "./origins.ts";
import { fetchOf, newRate, pairOf, cautious as policy, updateRates } from "./rates-stored.ts";

/** Noon of a day in November. */
const day = (number: number) => `2026-11-${String(number).padStart(2, "0")}T12:00:00.000Z`;

const PAIR = pairOf("EUR/USD");

/** A fetch on a day, whose document has a text of its own, or the one given. */
const fetchOn = (number: number, source = "ecb", text = `${source} ${number}`) =>
  fetchOf(source, [text], day(number));

/** Stores rates on a day, as of that day. */
const storeOn = (
  store: Store,
  number: number,
  rates: Readonly<Record<string, string>>,
  publication = fetchOn(number),
) =>
  updateRates(
    store,
    Object.entries(rates).map(([pair, rate]) => newRate(pair, rate, day(number), "ecb")),
    policy,
    { publication, origin: byAt(day(number)) },
  );

/** @returns the number of steps. */
async function removeBefore(store: Store, before: string): Promise<number> {
  return (await Array.fromAsync(store.history.removeBefore(before))).length;
}

/** What is left of the history: sequences by pair, publications, documents and events. */
async function leftIn(engine: Engine) {
  const {
    observations = [],
    publications = [],
    documents = [],
    events = [],
  } = await contentsOf(engine);
  const numbers = (rows: typeof events, column: string) =>
    rows.map((row) => Number(row[column])).sort((one, other) => one - other);
  const ofPair = Object.groupBy(observations, ({ base, quote }) => `${base}/${quote}`);
  return {
    observations: Object.fromEntries(
      Object.entries(ofPair).map(([pair, rows = []]) => [pair, numbers(rows, "sequence")]),
    ),
    publications: numbers(publications, "id"),
    documents: documents.map(({ content }) => Buffer.from(content as Uint8Array).toString()).sort(),
    events: events
      .filter(({ pair }) => pair !== null)
      .map(({ at, action }) => `${Number(String(at).slice(8, 10))} ${action}`)
      .sort(),
  };
}

export function retentionSuite(test: StoreTest): void {
  test("a rate that was replaced at the time or before is removed, and what was served then stays", async (store, engine) => {
    for (const number of [1, 3, 5, 7, 9])
      await storeOn(store, number, { "EUR/USD": `1.${number}` });
    await storeOn(store, 2, { "EUR/GBP": "0.9" }, fetchOn(2, "cnb"));
    const { rates, versions, events } = await contentsOf(engine);

    await removeBefore(store, "2026-11-05T11:59:59.999Z");
    assert.deepEqual((await leftIn(engine)).observations["EUR/USD"], [2, 3, 4, 5]);
    await removeBefore(store, day(5));

    assert.deepEqual(await leftIn(engine), {
      observations: { "EUR/GBP": [1], "EUR/USD": [3, 4, 5] },
      publications: [3, 4, 5, 6],
      documents: ["cnb 2", "ecb 5", "ecb 7", "ecb 9"],
      events: [],
    });
    const after = await contentsOf(engine);
    assert.deepEqual({ ...after, rates, versions, events }, after);
  });

  test("a history without anything old stays as it is, and so does an empty one", async (store, engine) => {
    await removeBefore(store, day(30));
    for (const number of [1, 2]) await storeOn(store, number, { "EUR/USD": `1.${number}` });
    await store.rates.suspend(PAIR, byAt(day(3)));
    const before = await contentsOf(engine);

    await removeBefore(store, day(1));

    assert.deepEqual(await contentsOf(engine), before);
  });

  test("the last publication of each source stays, so that its document is recognised", async (store, engine) => {
    await storeOn(store, 1, { "EUR/USD": "1.1" });
    for (const number of [2, 3]) await storeOn(store, number, {}, fetchOn(number, "cnb"));
    await storeOn(store, 4, { "EUR/USD": "1.2" });

    await removeBefore(store, day(20));
    const left = await leftIn(engine);
    assert.deepEqual(
      [left.publications, left.documents],
      [
        [3, 4],
        ["cnb 3", "ecb 4"],
      ],
    );

    await storeOn(store, 21, {}, fetchOn(21, "cnb", "cnb 3"));
    assert.deepEqual((await leftIn(engine)).publications, [3, 4]);
  });

  test("a document that a later publication has, too, stays", async (store, engine) => {
    await storeOn(store, 1, { "EUR/USD": "1.1" }, fetchOn(1, "ecb", "same"));
    await storeOn(store, 2, { "EUR/USD": "1.2" }, fetchOn(2, "ecb", "other"));
    await storeOn(store, 9, { "EUR/USD": "1.3" }, fetchOn(9, "ecb", "same"));

    await removeBefore(store, day(8));
    assert.deepEqual((await leftIn(engine)).documents, ["other", "same"]);
    await removeBefore(store, day(9));
    assert.deepEqual((await leftIn(engine)).documents, ["same"]);
  });

  test("the publication of a held rate stays, also when the rate is dropped", async (store, engine) => {
    await storeOn(store, 1, { "EUR/USD": "1.1" });
    await storeOn(store, 2, { "EUR/USD": "9" });
    await storeOn(store, 3, {});

    await removeBefore(store, day(20));
    assert.deepEqual((await leftIn(engine)).publications, [1, 2, 3]);
    await store.rates.dropHeld(PAIR, byAt(day(10)));
    await storeOn(store, 11, { "EUR/USD": "1.2" });
    await removeBefore(store, day(20));
    assert.deepEqual((await leftIn(engine)).publications, [2, 4]);
  });

  test("a released rate keeps the publication that brought it", async (store, engine) => {
    await storeOn(store, 1, { "EUR/USD": "1.1" });
    await storeOn(store, 2, { "EUR/USD": "9" });
    await storeOn(store, 3, {});
    await store.rates.releaseHeld(PAIR, headersOf, byAt(day(10)));

    await removeBefore(store, day(20));

    assert.deepEqual(await leftIn(engine), {
      observations: { "EUR/USD": [2] },
      publications: [2, 3],
      documents: ["ecb 2", "ecb 3"],
      events: [],
    });
  });

  test("what a pair had served before it was deleted is removed with the deletion", async (store, engine) => {
    await storeOn(store, 1, { "EUR/USD": "1.1", "EUR/GBP": "0.9" });
    await storeOn(store, 2, { "EUR/USD": "1.2", "EUR/GBP": "0.8" });
    await store.rates.remove(PAIR, byAt(day(4)));
    await store.rates.remove(pairOf("EUR/GBP"), byAt(day(5)));
    await storeOn(store, 6, { "EUR/USD": "1.3" });

    await removeBefore(store, day(4));
    const deletions = ["4 rate.deleted", "5 rate.deleted"];
    const servedThen = { "EUR/GBP": [1, 2], "EUR/USD": [2, 3] };
    assert.deepEqual((await leftIn(engine)).events, deletions);
    assert.deepEqual((await leftIn(engine)).observations, servedThen);

    await removeBefore(store, "2026-11-05T12:00:00.001Z");
    // The last figure that the ecb has published of EUR/GBP stays in its series.
    assert.deepEqual(await leftIn(engine), {
      observations: { "EUR/USD": [3] },
      publications: [2, 3],
      documents: ["ecb 2", "ecb 6"],
      events: [],
    });
    await storeOn(store, 7, { "EUR/USD": "1.4", "EUR/GBP": "0.7" });
    assert.deepEqual((await leftIn(engine)).observations, { "EUR/GBP": [1], "EUR/USD": [3, 4] });
  });

  test("what a deleted pair had served is removed beside pairs that serve the same number", async (store, engine) => {
    await storeOn(store, 1, { "EUR/USD": "1.1", "EUR/GBP": "0.9", "AUD/USD": "0.7" });
    await store.rates.remove(PAIR, byAt(day(4)));

    await removeBefore(store, day(5));

    assert.deepEqual((await leftIn(engine)).observations, { "AUD/USD": [1], "EUR/GBP": [1] });
  });

  test("old events of pairs are removed, except a suspension that was in force, and not with the audit log", async (store, engine) => {
    await storeOn(store, 1, { "EUR/USD": "1.1", "EUR/GBP": "0.9" });
    await store.rates.suspend(PAIR, byAt(day(2)));
    await store.rates.resume(PAIR, byAt(day(3)));
    await store.rates.suspend(PAIR, byAt(day(4)));
    await store.rates.suspend(pairOf("EUR/GBP"), byAt(day(5)));
    await store.rates.resume(PAIR, byAt(day(10)));
    await store.audit.record("rates.imported", byAt(day(1)), { details: { file: "rates.csv" } });

    await removeBefore(store, day(6));
    const left = ["10 rate.resumed", "4 rate.suspended", "5 rate.suspended"];
    assert.deepEqual((await leftIn(engine)).events, left);

    await removeBefore(store, day(11));
    assert.deepEqual((await leftIn(engine)).events, ["5 rate.suspended"]);
    const [kept] = await engine.query("SELECT at FROM events WHERE pair IS NULL");
    assert.equal(kept?.at, day(1), "no event of a pair, so no part of the history");
    await Array.fromAsync(store.cleanup.removeEvents(day(20)));
    assert.deepEqual(valuesOf(await engine.query("SELECT at FROM events"), "at"), [day(5)]);
  });

  test("more rows than a step removes are removed in many steps", async (store, engine) => {
    await storeOn(store, 1, { "EUR/USD": "1.1" });
    await engine.transaction(function* () {
      for (let index = 1; index <= 900; index += 1) {
        const pair = index % 3 === 0 ? "USD" : `X${index}`;
        const row = ["EUR", pair, 1 + index, "1", day(2), "ecb", day(2)];
        yield statement(
          `INSERT INTO observations
            (base, quote, sequence, rate, as_of, source, stored_at, publication)
          SELECT $1, $2, $3, $4, $5, $6, $7, max(id) FROM publications`,
          ...row,
        );
      }
      yield statement("UPDATE rates SET observation = 901 WHERE quote = 'USD'");
    });
    for (let number = 0; number < 60; number += 1) {
      const publication = fetchOn(1, "cnb", `document ${number}`);
      await updateRates(store, [], policy, { publication, origin: BY });
    }

    const steps = await removeBefore(store, day(10));

    const { observations, publications } = await leftIn(engine);
    assert.deepEqual(observations["EUR/USD"], [901]);
    assert.equal(Object.keys(observations).length, 601, "pairs that are not served are unknown");
    assert.deepEqual(publications, [1, 61]);
    assert.ok(steps > 5);
  });

  test("history is removed beside updates that repeat, replace and add publications", async (here, engine, there) => {
    for (const number of [1, 2]) await storeOn(here, number, { "EUR/USD": `1.${number}` });
    const texts = ["one", "two", "two", "one", "three", "three", "one", "two"];

    const update = async () => {
      for (const [index, text] of texts.entries()) {
        const rates = { "EUR/USD": `1.${3 + index}` };
        await storeOn(here, 3 + index, rates, fetchOn(3, "ecb", text));
      }
    };
    const removals = texts.map(() => removeBefore(there, day(28)));
    await Promise.all([update(), ...removals]);
    await removeBefore(there, day(28));

    const left = await leftIn(engine);
    assert.deepEqual(left.observations, { "EUR/USD": [10] });
    assert.deepEqual([left.publications.length, left.documents], [1, ["two"]]);
    const dangling = await engine.query(`
      SELECT 1 FROM publication_documents WHERE hash NOT IN (SELECT hash FROM documents)`);
    assert.deepEqual(dangling, []);
  });
}
