import assert from "node:assert/strict";
import type { Difference } from "../../../src/bookkeeping/provenance/differences.ts";
import type { Observation } from "../../../src/bookkeeping/provenance/observations.ts";
import { findServedAt } from "../../../src/bookkeeping/provenance/served-at.ts";
import { verifyHistory } from "../../../src/bookkeeping/provenance/verify.ts";
import { timestamp } from "../../../src/platform/shared/instant.ts";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import { ecbDay } from "../../support/fake-publisher.ts";
import { documentReader, packed } from "../../support/rates.ts";
import type { Store } from "../../support/stores.ts";
import type { StoreTest } from "./database.ts";
import { byAt, NOW } from "./origins.ts";
import { EUR_USD, newRate, pairOf, storeRates, updateRates } from "./rates-stored.ts";

const PAIR = pairOf("EUR/USD");
const EVERY = { after: 0, limit: 100, from: undefined, to: undefined };
const accept = () => "store" as const;

/** A rate as an import reads it from its file. */
const importedRate = (pair: string, rate: string) => ({
  ...newRate(pair, rate, "2026-03-13T15:00:00Z"),
  ...{ place: 0, line: 2 },
});

const storeAt = (store: Store, at: string, ...rates: readonly string[]) =>
  updateRates(
    store,
    rates.map((rate) => importedRate("EUR/USD", rate)),
    accept,
    { origin: byAt(at) },
  );

/** The time of a second of a day: NOW and later. */
const second = (count: number) => timestamp(Date.parse(NOW) + count * 1000);

/** The time when the tests verify, as far ahead as a node's clock may be, and a millisecond more. */
const [VERIFIED_AT, TOLERATED, AHEAD] = [second(3600), second(3900), second(3900.001)];

/** What reads got: `1.1 from … until …`, `suspended …`, `deleted …`, `unknown`. */
async function servedAt(store: Store, at: string): Promise<string> {
  const served = await findServedAt(store, PAIR, at);
  if (served.status === "unknown") return "unknown";
  const { status, observation, from, until } = served;
  const times = `from ${secondsOf(from)} until ${until === undefined ? "now" : secondsOf(until)}`;
  return `${status === "served" ? observation.rate : status} ${times}`;
}

const secondsOf = (at: string) => (Date.parse(at) - Date.parse(NOW)) / 1000;

export function historyReadSuite(test: StoreTest): void {
  servedAtTests(test);
  readTests(test);
  verifyTests(test);
}

function servedAtTests(test: StoreTest): void {
  test("a rate is served from its storing until the next one is stored", async (store) => {
    await storeAt(store, second(10), "1.1");
    await storeAt(store, second(20), "1.2");

    assert.equal(await servedAt(store, second(9.999)), "unknown");
    assert.equal(await servedAt(store, second(10)), "1.1 from 10 until 20");
    assert.equal(await servedAt(store, second(19.999)), "1.1 from 10 until 20");
    assert.equal(await servedAt(store, second(20)), "1.2 from 20 until now");
  });

  test("of rates stored in one transaction, or in one millisecond, the last was served", async (store) => {
    await storeAt(store, second(10), "1.1", "1.2", "1.3");
    await storeAt(store, second(10), "1.4", "1.5");

    assert.equal(await servedAt(store, second(10)), "1.5 from 10 until now");
  });

  test("a suspended pair is suspended until it is resumed, also for rates stored meanwhile", async (store) => {
    await storeAt(store, second(10), "1.1");
    await store.rates.suspend(PAIR, byAt(second(20)));
    await storeAt(store, second(30), "1.2");
    await store.rates.resume(PAIR, byAt(second(40)));

    assert.equal(await servedAt(store, second(19)), "1.1 from 10 until 20");
    assert.equal(await servedAt(store, second(20)), "suspended from 20 until 40");
    assert.equal(await servedAt(store, second(35)), "suspended from 20 until 40");
    assert.equal(await servedAt(store, second(40)), "1.2 from 40 until now");
  });

  test("a deleted pair is deleted until it is stored again, and a deletion ends a suspension", async (store) => {
    await storeAt(store, second(10), "1.1");
    await store.rates.suspend(PAIR, byAt(second(15)));
    await store.rates.remove(PAIR, byAt(second(20)));
    await storeAt(store, second(30), "1.2");

    assert.equal(await servedAt(store, second(15)), "suspended from 15 until 20");
    assert.equal(await servedAt(store, second(25)), "deleted from 20 until 30");
    assert.equal(await servedAt(store, second(30)), "1.2 from 30 until now");
  });

  test("what follows in the same millisecond is known to follow", async (store) => {
    await storeAt(store, second(10), "1.1");
    await store.rates.remove(PAIR, byAt(second(10)));
    await storeAt(store, second(10), "1.2");
    await store.rates.suspend(PAIR, byAt(second(10)));
    await store.rates.resume(PAIR, byAt(second(10)));
    assert.equal(await servedAt(store, second(10)), "1.2 from 10 until now");

    await store.rates.remove(PAIR, byAt(second(10)));
    assert.equal(await servedAt(store, second(11)), "deleted from 10 until now");
  });

  test("a clock that was set back hides no later change", async (store) => {
    await storeAt(store, second(5), "1.0");
    await storeAt(store, second(100), "1.1");
    await store.rates.suspend(PAIR, byAt(second(110)));
    await store.rates.resume(PAIR, byAt(second(20)));
    for (const count of [30, 120]) {
      assert.equal(await servedAt(store, second(count)), "1.1 from 20 until now");
    }

    await store.rates.remove(PAIR, byAt(second(30)));
    assert.equal(await servedAt(store, second(25)), "1.1 from 20 until 30");
    assert.equal(await servedAt(store, second(120)), "deleted from 30 until now");

    await storeAt(store, second(40), "1.2");
    assert.equal(await servedAt(store, second(120)), "1.2 from 40 until now");
    assert.equal(await servedAt(store, second(35)), "deleted from 30 until 40");
  });
}

function readTests(test: StoreTest): void {
  test("the observations of a pair are listed in pages and by their as_of", async (store) => {
    const days = ["2026-03-11", "2026-03-12", "2026-03-13"].map((day, index) =>
      newRate("EUR/USD", `1.${index + 1}`, `${day}T15:00:00Z`),
    );
    await storeRates(store, [...days, newRate("USD/EUR", "0.9", "2026-03-12T15:00:00Z")]);
    const { history } = store;
    const ratesOf = (page: readonly Observation[]) => page.map(({ rate }) => rate);

    assert.deepEqual(ratesOf(await history.observations(PAIR, EVERY)), ["1.1", "1.2", "1.3"]);
    const second = { ...EVERY, after: 1, limit: 1 };
    assert.deepEqual(ratesOf(await history.observations(PAIR, second)), ["1.2"]);
    const from = { ...EVERY, from: days[1]?.asOf };
    assert.deepEqual(ratesOf(await history.observations(PAIR, from)), ["1.2", "1.3"]);
    const to = { ...EVERY, to: days[1]?.asOf };
    assert.deepEqual(ratesOf(await history.observations(PAIR, to)), ["1.1", "1.2"]);
    assert.deepEqual(await history.observations(pairOf("EUR/GBP"), EVERY), []);
    assert.equal((await history.after(PAIR, 1)).count, 2);
    assert.equal((await history.observation(PAIR, 2))?.rate, "1.2");
    assert.equal(await history.observation(PAIR, 4), undefined);
  });

  test("the events of a pair are listed alone and in order, with their place in the history", async (store) => {
    await storeRates(store, [EUR_USD, newRate("EUR/USD", "1.2", "2026-03-14T15:00:00Z")]);
    await storeRates(store, [newRate("USD/EUR", "0.9", "2026-03-14T15:00:00Z")]);
    await store.rates.suspend(PAIR, byAt(second(1)));
    await store.rates.suspend(pairOf("USD/EUR"), byAt(second(2)));
    await store.rates.resume(PAIR, byAt(second(3)));

    const events = await store.audit.ofPair("EUR/USD", { at: "", id: "" }, 10);
    const described = events.map(({ at, action, details }) => [at, action, details.observation]);

    assert.deepEqual(described, [
      [second(1), "rate.suspended", 2],
      [second(3), "rate.resumed", 2],
    ]);
    const [first, last] = events;
    assert.ok(Number(first?.details.change) < Number(last?.details.change));
    assert.ok(first !== undefined);
    assert.deepEqual(await store.audit.ofPair("EUR/USD", first, 10), [last]);
  });
}

const DOCUMENT = ecbDay("2026-03-13", { USD: "1.1476", ISK: "144.20" });

/** Stores the rates of a publication of the ECB with its document. */
async function publish(store: Store, text = DOCUMENT, figures = { USD: "1.1476", ISK: "144.20" }) {
  const document = {
    name: "https://ecb.example.org/rates.xml",
    receivedAt: NOW,
    stored: await packed(text),
  };
  const rates = Object.entries(figures).map(([quote, rate]) => ({
    ...newRate(`EUR/${quote}`, rate, "2026-03-13T15:00:00Z", "ecb"),
    place: 0,
  }));
  const publication = { source: "ecb", receivedAt: NOW, documents: [document] };
  await updateRates(store, rates, accept, { publication });
}

async function verified(store: Store) {
  const found: Difference[] = [];
  const counts = await verifyHistory(
    { ...store, documents: documentReader, nowMs: () => Date.parse(VERIFIED_AT) },
    {
      difference: async (difference) => void found.push(difference),
      progress: (part) => assert.ok(part > 0 && part <= 1),
    },
  );
  assert.equal(counts.differences, found.length);
  return { found, counts };
}

/** A store with two publications of the ECB and an import, and a statement run on it. */
async function damage(store: Store, engine: Engine, sql: string, ...values: (string | Buffer)[]) {
  await publish(store);
  await publish(store, ecbDay("2026-03-13", { USD: "1.1500" }), { USD: "1.1500" } as never);
  await storeRates(store, [importedRate("EUR/GBP", "0.86")]);
  if (sql !== "") await engine.query(sql, ...values);
  return store;
}

/** A difference in a line: `figure USD 1: 1.1467, not 1.1476`. */
function lineOf(one: Difference): string {
  switch (one.kind) {
    case "figure": {
      const { quote, sequence, rate } = one.observation;
      return `figure ${quote} ${sequence}: ${rate}, not ${one.stated?.rate}`;
    }
    case "document":
      return `document ${one.document?.hash}: ${one.reason}`;
    case "served":
      return `served ${one.served.quote}: ${one.served.rate}, last ${one.last?.rate}`;
    case "observation":
      return `${one.observation.quote} ${one.observation.sequence}: ${one.reason}`;
    case "headers":
      return `headers ${one.rate.quote} ${one.rate.source}`;
    default:
      return assert.fail(one.kind);
  }
}

const differencesIn = async (store: Store) => (await verified(store)).found.map(lineOf);

const { hash: HASH } = await packed(DOCUMENT);
const EXCHANGED = await packed(DOCUMENT.replace("1.1476", "1.1467"));

const NOT_SERVED = "its pair is not served, and was not deleted";
const setTime = (time: string) =>
  `UPDATE observations SET stored_at = '${time}' WHERE quote = 'ISK'`;
const setContent = `UPDATE documents SET content = $1 WHERE hash = '${HASH}'`;
const observed = (set: string, where: string) => `UPDATE observations SET ${set} WHERE ${where}`;

/** What is changed, and the only differences that are found then. */
const damages: readonly (readonly [string, string, readonly string[], Buffer?])[] = [
  [
    "a changed digit",
    observed("rate = '1.1467'", "rate = '1.1476'"),
    ["figure USD 1: 1.1467, not 1.1476"],
  ],
  [
    "a changed time",
    observed("as_of = '2026-03-13T15:00:00.000000001Z'", "rate = '1.1476'"),
    ["figure USD 1: 1.1476, not undefined"],
  ],
  [
    "a changed pair",
    observed("quote = 'SEK'", "rate = '144.20'"),
    [
      "figure SEK 1: 144.20, not undefined",
      "served ISK: 144.20, last undefined",
      `SEK 1: ${NOT_SERVED}`,
    ],
  ],
  [
    "exchanged bytes of a document",
    setContent,
    [`document ${HASH}: its bytes have another SHA-256`],
    Buffer.from(EXCHANGED.compressed),
  ],
  [
    "bytes that are not compressed",
    setContent,
    [`document ${HASH}: its bytes cannot be decompressed`],
    Buffer.from("not compressed"),
  ],
  [
    "a missing document",
    `DELETE FROM documents WHERE hash = '${HASH}'`,
    [`document ${HASH}: it is missing`],
  ],
  [
    "a changed served rate",
    "UPDATE rates SET rate = '1.1501' WHERE quote = 'USD'",
    ["served USD: 1.1501, last 1.1500"],
  ],
  [
    "a served rate without an observation",
    "DELETE FROM observations WHERE quote = 'GBP'",
    ["served GBP: 0.86, last undefined"],
  ],
  [
    "a served rate of an older observation",
    "UPDATE rates SET observation = 1 WHERE quote = 'USD'",
    ["served USD: 1.1500, last 1.1500"],
  ],
  [
    "a pair that is gone without a deletion",
    "DELETE FROM rates WHERE quote = 'ISK'",
    [`ISK 1: ${NOT_SERVED}`],
  ],
  ...["yesterday", "", "2026-13-01T00:00:00.000Z", "2020-01-01T24:00:00.000Z"].map(
    (time) =>
      [
        `the time "${time}"`,
        setTime(time),
        ["ISK 1: the time when it was stored is not a time"],
      ] as const,
  ),
  ["a time ahead", setTime(AHEAD), ["ISK 1: the time when it was stored is in the future"]],
  ["a time of a node whose clock is five minutes ahead", setTime(TOLERATED), []],
  ["no headers", "UPDATE rates SET headers = NULL", []],
];

function verifyTests(test: StoreTest): void {
  test("an undamaged history has no difference, and its figures are counted by their origin", async (store, engine) => {
    const { found, counts } = await verified(await damage(store, engine, ""));
    assert.deepEqual(found, []);
    const verifiedCounts = { figures: 3, imported: 1, unverified: 0 };
    const others = { documents: 2, differences: 0, series: verifiedCounts, unstored: new Map() };
    assert.deepEqual(counts, { ...verifiedCounts, ...others });
  });

  for (const [what, sql, lines, ...values] of damages) {
    test(`of ${what} these differences are found: ${lines.join()}`, async (store, engine) => {
      await damage(store, engine, sql, ...values.filter((value) => value !== undefined));
      assert.deepEqual(await differencesIn(store), lines);
    });
  }

  test("figures whose documents are lost or exchanged are counted as not verified", async (store, engine) => {
    await damage(store, engine, setContent, Buffer.from(EXCHANGED.compressed));
    assert.equal((await verified(store)).counts.figures, 1);
    await engine.query("DELETE FROM documents");
    const { counts } = await verified(store);
    assert.deepEqual([counts.figures, counts.imported, counts.unverified], [0, 1, 3]);
  });

  const misplaced = [
    ["publication = 99", "GBP", "its publication is missing"],
    ["publication = 99", "ISK", "its publication is missing"],
    ["place = 7", "GBP", "its publication has no such document"],
    ["place = NULL", "ISK", "its publication has no such document"],
    ["source = 'ecb'", "GBP", "its source is ecb, and its document an imported file"],
  ] as const;
  for (const [change, quote, reason] of misplaced) {
    test(`an observation of ${quote} with ${change} is reported and not counted as verified`, async (store, engine, _, database) => {
      await damage(store, engine, "");
      await database.withoutForeignKeys(observed(change, `quote = '${quote}'`));
      const { found, counts } = await verified(store);
      const observations = found.filter(({ kind }) => kind === "observation");
      assert.deepEqual(observations.map(lineOf), [`${quote} 1: ${reason}`]);
      const { figures, imported, unverified } = counts;
      assert.deepEqual([figures + imported, unverified], [3, 1]);
    });
  }

  test("a deleted pair is no difference, and one that is stored again and gone is", async (store, engine) => {
    await damage(store, engine, "");
    await store.rates.remove(pairOf("EUR/GBP"), byAt(second(5)));
    assert.deepEqual(await differencesIn(store), []);
    await storeRates(store, [importedRate("EUR/GBP", "0.86")]);
    await engine.query("DELETE FROM rates WHERE quote = 'GBP'");
    assert.deepEqual(await differencesIn(store), [`GBP 2: ${NOT_SERVED}`]);
  });

  test("a gap in the numbers of a pair is reported, and removed oldest ones are not", async (store, engine) => {
    await damage(store, engine, "");
    await storeAt(store, second(10), "1.16", "1.17");
    await engine.query("DELETE FROM observations WHERE quote = 'USD' AND sequence = 1");
    assert.deepEqual(await differencesIn(store), []);
    await engine.query("DELETE FROM observations WHERE quote = 'USD' AND sequence = 3");
    assert.deepEqual(await differencesIn(store), ["USD 4: the observation before it is missing"]);
  });

  test("stored headers that name another source are reported", async (store, engine) => {
    await damage(store, engine, "");
    const name = (header: string) =>
      engine.query("UPDATE rates SET headers = $1 WHERE quote = 'ISK'", header);
    for (const right of ["ecb", 'ecb;name=\\"European Central Bank\\"']) {
      await name(`["rate-source","${right}"]`);
      assert.deepEqual(await differencesIn(store), []);
    }
    for (const wrong of ["nbp;name", "ecb2", "EUR", "x"]) {
      await name(`["rate-source","${wrong}"]`);
      assert.deepEqual(await differencesIn(store), ["headers ISK ecb"]);
    }
  });
}
