import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import { figureOf } from "../../../src/rates/served/figures.ts";
import type { SourcedRate } from "../../../src/rates/served/rules/update-policy.ts";
import { headersOf, signedHeadersOf } from "../../support/rates.ts";
import { newSigningKey } from "../../support/signatures.ts";
import type { Store } from "../../support/stores.ts";
import { contentsOf, type StoreTest, valuesOf } from "./database.ts";
import { BY, byAt, NOW } from "./origins.ts";
import {
  cautious,
  EUR_USD,
  fetchOf,
  newRate,
  PUBLICATION,
  pairOf,
  storeRates,
  updateRates,
} from "./rates-stored.ts";

const LATER = "2026-11-21T13:00:00.000Z";

/** Every byte, as a text. */
const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString("latin1");

/** More rates than one statement has on any engine. */
const MANY = 1100;

/** The time of the rate after `seconds`. */
const after = (seconds: number) => new Date(Date.UTC(2026, 2, 13, 15, 0, seconds)).toISOString();

/** Every observation of a pair, or of all: `EUR/USD 1: 1.1476`. */
async function observationsOf(engine: Engine, pair?: string): Promise<string[]> {
  const rows = await engine.query(`
    SELECT base, quote, sequence, rate FROM observations ORDER BY base, quote, sequence`);
  const texts = rows.map(({ base, quote, sequence, rate }) => [`${base}/${quote}`, sequence, rate]);
  return texts
    .filter(([name]) => pair === undefined || name === pair)
    .map(([name, sequence, rate]) => `${name} ${sequence}: ${rate}`);
}

/** Where each observation of a pair came from: publication, place and line. */
async function originsOf(engine: Engine, { base, quote } = pairOf("EUR/USD")) {
  const rows = await engine.query(
    "SELECT * FROM observations WHERE base = $1 AND quote = $2 ORDER BY sequence",
    base,
    quote,
  );
  return rows.map(({ publication, place, line }) => [publication, place, line]);
}

/** The sequence that each served rate names, and the last one of its history. */
async function servedOf(engine: Engine): Promise<unknown[]> {
  const rows = await engine.query(`
    SELECT r.base, r.quote, r.rate, r.observation, o.rate AS last FROM rates r
    LEFT JOIN observations o
      ON o.base = r.base AND o.quote = r.quote AND o.sequence = r.observation
    ORDER BY r.base, r.quote`);
  return rows.map((row) => {
    assert.equal(row.rate, row.last, `${row.base}/${row.quote}: served, and observed`);
    return `${row.base}/${row.quote} ${row.observation}`;
  });
}

/** The pairs and figures of the events of an action, in order: `EUR/USD 1.1`. */
export const eventsOf = async (engine: Engine, action: string) =>
  (
    await engine.query("SELECT details, pair FROM events WHERE action = $1 ORDER BY id", action)
  ).map(({ details, pair }) => `${pair} ${JSON.parse(String(details)).rate}`);

async function versionOf(engine: Engine): Promise<number> {
  const [row] = await engine.query("SELECT version FROM versions WHERE name = 'rates'");
  return Number(row?.version ?? 0);
}

export function historySuite(test: StoreTest): void {
  observationSuite(test);
  heldRateSuite(test);
  publicationSuite(test);
  changeSuite(test);
  documentSuite(test);
}

function observationSuite(test: StoreTest): void {
  test("every accepted rate is one observation, in order, and no other rate is", async (store, engine) => {
    const decisions = await updateRates(
      store,
      [
        newRate("EUR/USD", "1.10", after(0)),
        newRate("USD/EUR", "0.90", after(0)),
        newRate("EUR/USD", "1.10", after(0)), // unchanged
        newRate("EUR/USD", "1.11", after(1)),
        newRate("EUR/USD", "9", after(2)), // held
        newRate("EUR/USD", "1.0", after(0)), // older
        newRate("EUR/USD", "1.12", after(1)), // a correction
        newRate("EUR/USD", "1.12", after(3)), // the same figure at another time
      ],
      cautious,
    );

    const expected = ["store", "store", "unchanged", "store", "hold", "older", "store", "store"];
    assert.deepEqual(decisions, expected);
    assert.deepEqual(await observationsOf(engine), [
      "EUR/USD 1: 1.10",
      "EUR/USD 2: 1.11",
      "EUR/USD 3: 1.12",
      "EUR/USD 4: 1.12",
      "USD/EUR 1: 0.90",
    ]);
    assert.deepEqual(await servedOf(engine), ["EUR/USD 4", "USD/EUR 1"]);
  });

  test("one call with more rates of a pair than a statement has stores them all in order", async (store, engine) => {
    const rates = Array.from({ length: MANY }, (_, index) => ({
      ...newRate(index % 2 === 0 ? "EUR/USD" : "EUR/GBP", `1.${1000 + index}`, after(index)),
      line: index + 2,
    }));

    await storeRates(store, rates);

    const stored = await observationsOf(engine, "EUR/USD");
    const expected = rates.filter((_, index) => index % 2 === 0);
    assert.deepEqual(
      stored,
      expected.map(({ rate }, index) => `EUR/USD ${index + 1}: ${rate}`),
    );
    const lines = (await originsOf(engine)).map(([, , line]) => line);
    assert.deepEqual(
      lines,
      expected.map(({ line }) => line),
    );
    assert.deepEqual(await servedOf(engine), [`EUR/GBP ${MANY / 2}`, `EUR/USD ${MANY / 2}`]);
  });

  test("a pair that was deleted and is stored again continues its sequence", async (store, engine) => {
    await storeRates(store, [newRate("EUR/USD", "1.10", after(0))]);
    await storeRates(store, [newRate("EUR/USD", "1.11", after(1))]);

    await store.rates.remove(pairOf("EUR/USD"), BY);
    await storeRates(store, [
      newRate("EUR/USD", "1.05", after(0)),
      newRate("EUR/USD", "1.06", after(1)),
    ]);

    assert.deepEqual(await observationsOf(engine), [
      "EUR/USD 1: 1.10",
      "EUR/USD 2: 1.11",
      "EUR/USD 3: 1.05",
      "EUR/USD 4: 1.06",
    ]);
    assert.deepEqual(await servedOf(engine), ["EUR/USD 4"]);
  });

  test("concurrent updates from two stores lose no observation and store none twice", async (here, engine, there) => {
    const stores = [here, there];
    const rateAt = (index: number) => newRate("EUR/USD", `1.${1000 + index}`, after(index));

    const decisions = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        storeRates(stores[index % 2] as Store, [rateAt(index), newRate("USD/EUR", "1", after(0))]),
      ),
    );

    const accepted = decisions.filter(([first]) => first === "store").length;
    const stored = await observationsOf(engine, "EUR/USD");
    assert.ok(accepted > 0);
    assert.deepEqual(
      stored.map((text) => text.split(":")[0]),
      Array.from({ length: accepted }, (_, index) => `EUR/USD ${index + 1}`),
    );
    assert.equal(stored.at(-1), `EUR/USD ${accepted}: ${rateAt(39).rate}`);
    assert.deepEqual(await observationsOf(engine, "USD/EUR"), ["USD/EUR 1: 1"]);
    assert.deepEqual(await servedOf(engine), [`EUR/USD ${accepted}`, "USD/EUR 1"]);
  });
}

function heldRateSuite(test: StoreTest): void {
  const held = { ...newRate("EUR/USD", "9", after(5), "ecb"), place: 1, line: 7 };

  test("a released rate is an observation with the publication and the line that brought it", async (store, engine) => {
    await updateRates(store, [EUR_USD], cautious, { publication: fetchOf("cnb", ["first"]) });
    await updateRates(store, [held], cautious, { publication: fetchOf("ecb", ["second"]) });
    assert.deepEqual(await observationsOf(engine), [`EUR/USD 1: ${EUR_USD.rate}`]);

    await store.rates.releaseHeld(pairOf("EUR/USD"), headersOf, byAt(LATER));

    assert.deepEqual(await observationsOf(engine), [`EUR/USD 1: ${EUR_USD.rate}`, "EUR/USD 2: 9"]);
    assert.deepEqual((await originsOf(engine))[1], [2, 1, 7]);
    const stored = await engine.query("SELECT as_of, source, stored_at FROM observations");
    assert.deepEqual(stored.map(Object.values), [
      [EUR_USD.asOf, "import", NOW],
      [held.asOf, "ecb", LATER],
    ]);
    assert.deepEqual(await servedOf(engine), ["EUR/USD 2"]);
    await store.rates.releaseHeld(pairOf("EUR/USD"), headersOf, byAt(LATER));
    assert.equal((await observationsOf(engine)).length, 2);
  });

  const other = { ...held, rate: "8" as Decimal };
  const newer = newRate("EUR/USD", "1.15", after(6));
  const older = newRate("EUR/USD", "1.15", after(4));

  /** What updates of EUR/USD bring, the events that they write, and what is held then. */
  const stories = [
    [
      "a pair begins to be held, and others replace the figure",
      [[held], [held], [other]],
      [9],
      [8],
    ],
    ["of several rates that one call holds only the last is held", [[held, other]], [8], [8]],
    [
      "a rate that is held and passed by a newer one in one call has its event",
      [[held, newer]],
      [9],
      [],
    ],
    ["a held rate that was replaced is held anew", [[held], [older, held]], [9, 9], [9]],
    ["after a held rate was dropped another is held", [[held], "drop", [other]], [9, 8], [8]],
  ] as const;
  for (const [what, updates, events, holds] of stories) {
    test(`${what}: the events are ${events.join()}`, async (store, engine) => {
      await updateRates(store, [EUR_USD], cautious);

      for (const rates of updates) {
        if (rates === "drop") await store.rates.dropHeld(pairOf("EUR/USD"), BY);
        else await updateRates(store, rates, cautious);
      }

      const names = events.map((rate) => `EUR/USD ${rate}`);
      assert.deepEqual(await eventsOf(engine, "rate.held"), names);
      const rates = (await store.rates.listHeld()).map(({ rate }) => Number(rate));
      assert.deepEqual(rates, holds);
      assert.doesNotMatch((await observationsOf(engine)).join(), /: [89]\b/);
    });
  }
}

function publicationSuite(test: StoreTest): void {
  test("a document that is fetched again is stored once, and its publication is reused", async (store, engine) => {
    const first = fetchOf("ecb", [BYTES, "more"]);
    await updateRates(store, [EUR_USD], cautious, { publication: first });
    const before = await contentsOf(engine);

    const again = fetchOf("ecb", [BYTES, "more"], LATER);
    const how = { policy: cautious, headersOf, publication: again, origin: byAt(LATER) };
    assert.equal((await store.rates.update([EUR_USD], how)).publication, 1);

    assert.deepEqual(await contentsOf(engine), before);
    const contents = before.documents?.map(({ content }) =>
      Buffer.from(content as Uint8Array).toString("latin1"),
    );
    assert.deepEqual(contents?.sort(), [BYTES, "more"]);
    assert.deepEqual(valuesOf(before.publication_documents ?? [], "bytes").sort(), [256, 4]);
  });

  test("a document that returns after another one, or from another source, is a publication of its own, with the same bytes", async (store, engine) => {
    for (const texts of [["one"], ["two"], ["one"], ["one", "two"], ["two", "one"]]) {
      await updateRates(store, [], cautious, { publication: fetchOf("ecb", texts) });
    }
    await updateRates(store, [], cautious, { publication: fetchOf("cnb", ["one"], LATER) });

    const { publications = [], publication_documents, documents } = await contentsOf(engine);
    const named = publications.map(({ id, source, received_at }) => [id, source, received_at]);
    assert.deepEqual(named.sort(), [
      ...[1, 2, 3, 4, 5].map((id) => [id, "ecb", NOW]),
      [6, "cnb", LATER],
    ]);
    assert.deepEqual([publication_documents?.length, documents?.length], [8, 2]);
  });

  test("the rates of an import in several transactions name one publication and their lines, and a second import another", async (store, engine) => {
    const how = { policy: cautious, headersOf, origin: BY };
    const rateAt = (line: number) => ({
      ...newRate("EUR/USD", `1.1${line}`, after(line)),
      place: 0,
      line,
    });

    const { publication: id } = await store.rates.update([rateAt(2)], {
      ...how,
      publication: PUBLICATION,
    });
    await store.rates.update([rateAt(3)], { ...how, publication: id });
    await store.history.recordDigest(id, { hash: "digest", bytes: 99 });

    assert.deepEqual(await originsOf(engine), [
      [id, 0, 2],
      [id, 0, 3],
    ]);
    const { publication_documents: documents = [], documents: contents } = await contentsOf(engine);
    const stored = documents.map((row) => [row.publication, row.name, row.hash, row.bytes]);
    assert.deepEqual(stored, [[id, "rates.csv", "digest", 99]]);
    assert.deepEqual(contents, []);
    const { publication: second } = await store.rates.update([rateAt(4)], {
      ...how,
      publication: PUBLICATION,
    });
    assert.equal(second, id + 1);
  });

  test("an import gives its file to the figures that it states of unfinished imports, and to no others", async (store, engine) => {
    /** Imports lines from the first on, in two transactions, and perhaps ends. */
    const importLines = async (first: number, rates: readonly SourcedRate[], digest?: string) => {
      const lines = rates.map((rate, index) => ({ ...rate, place: 0, line: first + index }));
      const how = { policy: cautious, headersOf, origin: BY };
      const { publication } = await store.rates.update(lines.slice(0, 2), {
        ...how,
        publication: PUBLICATION,
      });
      await store.rates.update(lines.slice(2), { ...how, publication });
      if (digest === undefined) return;
      await store.history.recordDigest(publication, { hash: digest, bytes: 99 });
    };
    const usd = (rate: string, seconds: number, source?: string) =>
      newRate("EUR/USD", rate, after(seconds), source);
    const many = Array.from({ length: MANY }, (_, index) => usd(`1.${2000 + index}`, 9 + index));
    const others = ["EUR/CHF", "EUR/SEK", "EUR/DKK"].map((pair) => newRate(pair, "9", after(0)));
    const [whole, alone, elsewhere] = others as [SourcedRate, SourcedRate, SourcedRate];
    await importLines(2, [whole], "complete");
    await importLines(2, [{ ...elsewhere, source: "import:other" }]);
    await importLines(2, [usd("1.10", 0), usd("1.11", 1), alone, ...many]);
    await importLines(2, [usd("1.12", 1), usd("1.13", 1)], "amended");

    await importLines(7, [whole, usd("1.10", 0), elsewhere, usd("1.11", 1), ...many], "repeated");

    for (const table of ["observations", "figures"]) {
      const rows = await engine.query(`
        SELECT t.base || '/' || t.quote AS pair, t.rate, t.line, d.hash FROM ${table} t
        JOIN publication_documents d ON d.publication = t.publication AND d.place = t.place
        ORDER BY pair, t.source, t.as_of, t.rate, t.line`);
      const origins = rows.map(({ pair, rate, line, hash }) => `${pair} ${rate} ${line} ${hash}`);
      // A time that was amended since is amended again. It is older than what is served.
      const revisions = ["1.11 10 repeated", "1.12 2 amended", "1.13 3 amended"];
      const amended = table === "figures" ? revisions.map((text) => `EUR/USD ${text}`) : [];
      assert.deepEqual(origins, [
        ...["EUR/CHF 9 2 complete", "EUR/DKK 9 9 repeated", "EUR/DKK 9 2 null", "EUR/SEK 9 4 null"],
        ...["EUR/USD 1.10 8 repeated", "EUR/USD 1.11 10 repeated", ...amended],
        ...many.map(({ rate }, index) => `EUR/USD ${rate} ${11 + index} repeated`),
      ]);
    }
  });
}

function changeSuite(test: StoreTest): void {
  test("each transaction that changes what is served counts one, and no other does", async (store, engine) => {
    const pair = pairOf("EUR/USD");
    const held = newRate("EUR/USD", "9", after(5));
    const countsOf = async (work: () => Promise<unknown>) => {
      const before = await versionOf(engine);
      await work();
      return (await versionOf(engine)) - before;
    };
    const update = (...rates: (typeof EUR_USD)[]) => updateRates(store, rates, cautious);

    assert.equal(await countsOf(() => update(EUR_USD, newRate("USD/EUR", "1", after(0)))), 1);
    assert.equal(await countsOf(() => update(EUR_USD)), 0, "unchanged");
    assert.equal(await countsOf(() => update(held)), 0, "held");
    assert.equal(await countsOf(() => update()), 0, "no rates");
    assert.equal(await countsOf(() => store.rates.previewUpdate([held], cautious)), 0);
    assert.equal(await countsOf(() => store.rates.releaseHeld(pair, headersOf, BY)), 1);
    assert.equal(await countsOf(() => store.rates.releaseHeld(pair, headersOf, BY)), 0);
    assert.equal(await countsOf(() => store.rates.suspend(pair, BY)), 1);
    assert.equal(await countsOf(() => store.rates.resume(pair, BY)), 1);
    assert.equal(await countsOf(() => store.rates.suspend(pairOf("EUR/XXX"), BY)), 0);
    assert.equal(await countsOf(() => store.rates.remove(pair, BY)), 1);
    assert.equal(await countsOf(() => store.rates.remove(pair, BY)), 0);
    assert.equal(await versionOf(engine), 5);
  });
}

/** Digests of documents with these texts, as the header has them. */
const [FIRST, SECOND, THIRD] = ["first", "second", "third"].map(
  (text) => `sha-256=:${hash("sha256", text, "base64")}:`,
);

function documentSuite(test: StoreTest): void {
  /** What the headers of each served rate say of its document, by quote: CHF, CZK, USD. */
  const servedDocuments = async (engine: Engine) => {
    const rows = await engine.query("SELECT headers FROM rates ORDER BY quote");
    const found = rows.map(({ headers }) => String(headers).split('"rate-document","').slice(1));
    return found.map((values) => values.map((value) => value.split('"')[0]).join());
  };
  const key = signedHeadersOf(newSigningKey());
  const addDocuments = async (store: Store) => {
    let steps = 0;
    for await (const _ of store.rates.addDocuments()) steps += 1;
    return steps;
  };

  test("a rate's headers have the digest of the document that states it, whichever way it is served", async (store, engine) => {
    const rates = ["USD", "CZK", "CHF"].map((quote, index) => {
      return { ...newRate(`EUR/${quote}`, "1.1", after(0), "ecb"), place: index % 2 };
    });
    await updateRates(store, rates, cautious, { publication: fetchOf("ecb", ["first", "second"]) });
    const expected = async (...documents: readonly unknown[]) =>
      assert.deepEqual(await servedDocuments(engine), documents.map(String));
    await expected(FIRST, SECOND, FIRST);

    const held = { ...newRate("EUR/CHF", "9", after(5), "ecb"), place: 1 };
    await updateRates(store, [held], cautious, { publication: fetchOf("ecb", ["first", "third"]) });
    await store.rates.releaseHeld(pairOf("EUR/CHF"), headersOf, BY);
    await expected(THIRD, SECOND, FIRST);

    const figure = figureOf({ ...newRate("EUR/USD", "1.2", after(9), "cnb"), place: 0 });
    await store.figures.addFigures([figure], fetchOf("cnb", ["second"]), NOW);
    const how = { maxRateJump: "0.5" as Decimal, headersOf, origin: BY };
    await store.series.own(figure, how);
    await expected(THIRD, SECOND, SECOND);

    const before = await contentsOf(engine);
    await engine.query("UPDATE rates SET headers = NULL WHERE quote <> 'CZK'");
    await store.rates.renewHeaders("without headers", headersOf, LATER);
    assert.deepEqual(await contentsOf(engine), before);
    await store.rates.renewHeaders("all", key, LATER);
    await expected(THIRD, SECOND, SECOND);
    assert.equal(await addDocuments(store), 0);
  });

  test("a document is found with its figures, also one that another document had stated before", async (store) => {
    const figure = figureOf(newRate("EUR/USD", "1.1", after(0), "ecb"));
    const twice = [figure, { ...figure, kind: "buying" as const, rate: "1.0" as Decimal }];
    const stated = twice.map((one) => ({ ...one, place: 1 }));
    await store.figures.addFigures(stated, fetchOf("ecb", ["first", "second"]), NOW);
    const again = { ...figure, place: 0 };
    await updateRates(store, [again], cautious, { publication: fetchOf("ecb", ["third"]) });

    const found = async (text: string) => {
      const digest = hash("sha256", text);
      const rates = await store.history.figuresIn(digest, figure, 9);
      return [await store.history.usesOf(digest, 9), rates.map(({ rate }) => rate)];
    };
    assert.deepEqual(await found("first"), [[{ publication: 1, figures: 0, pairs: 0 }], []]);
    assert.deepEqual(await found("second"), [
      [{ publication: 1, figures: 2, pairs: 1 }],
      ["1.0", "1.1"],
    ]);
    assert.deepEqual(await found("third"), [[{ publication: 2, figures: 1, pairs: 1 }], ["1.1"]]);
    assert.deepEqual(await found("none"), [[], []]);
  });

  test("the rates of an import, or of an earlier version, get the digest when it is known, and keep their signature", async (store, engine) => {
    const how = { policy: cautious, headersOf: key, origin: BY };
    const rates = Array.from({ length: 250 }, (_, index) => {
      return { ...newRate(`EUR/X${index}`, "1.1", after(0)), place: 0, line: index + 2 };
    });
    const unfinished = { ...newRate("EUR/USD", "1.1", after(0)), place: 0, line: 2 };
    await store.rates.update([unfinished], { ...how, publication: PUBLICATION });
    const { publication } = await store.rates.update(rates, { ...how, publication: PUBLICATION });
    const signed = async () => {
      const rows = await engine.query("SELECT * FROM rates ORDER BY quote");
      return rows.map(({ quote, headers, signing_key: id }) => [quote, String(headers), id]);
    };
    const before = await signed();
    assert.equal(await addDocuments(store), 0, "none is known");

    await store.history.recordDigest(publication, { hash: hash("sha256", "third"), bytes: 5 });
    assert.equal(await addDocuments(store), 3, "pages");

    const header = `,"rate-document",${JSON.stringify(THIRD)}]`;
    const expected = before.map(([quote, headers, id]) => {
      return [quote, quote === "USD" ? headers : `${String(headers).slice(0, -1)}${header}`, id];
    });
    assert.deepEqual(await signed(), expected);
    assert.equal(await addDocuments(store), 0);

    const [damaged] = rates;
    await engine.query("UPDATE rates SET headers = '{}' WHERE quote = $1", damaged?.quote ?? "");
    assert.equal(await addDocuments(store), 0, "a damaged one is made anew");
  });
}
