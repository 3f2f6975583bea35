import assert from "node:assert/strict";
import type { Difference } from "../../../src/provenance/differences.ts";
import type { Observation } from "../../../src/provenance/observations.ts";
import { findServedAt } from "../../../src/provenance/served-at.ts";
import { verifyHistory } from "../../../src/provenance/verify.ts";
import { timestamp } from "../../../src/shared/instant.ts";
import type { Store } from "../../../src/store.ts";
import { ecbDay } from "../../support/fake-publisher.ts";
import { fc } from "../../support/properties.ts";
import { documentReader, packed } from "../../support/rates.ts";
import {
  byAt,
  EUR_USD,
  NOW,
  newRate,
  pairOf,
  type StoreTest,
  storeRates,
  type TestDatabase,
  updateRates,
} from "./database.ts";

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
  test("a rate is served from its storing until the next one is stored", async (database) => {
    const store = database.openStore();
    await storeAt(store, second(10), "1.1");
    await storeAt(store, second(20), "1.2");

    assert.equal(await servedAt(store, second(9.999)), "unknown");
    assert.equal(await servedAt(store, second(10)), "1.1 from 10 until 20");
    assert.equal(await servedAt(store, second(19.999)), "1.1 from 10 until 20");
    assert.equal(await servedAt(store, second(20)), "1.2 from 20 until now");
  });

  test("of rates stored in one transaction, or in one millisecond, the last was served", async (database) => {
    const store = database.openStore();
    await storeAt(store, second(10), "1.1", "1.2", "1.3");
    await storeAt(store, second(10), "1.4", "1.5");

    assert.equal(await servedAt(store, second(10)), "1.5 from 10 until now");
  });

  test("a suspended pair is suspended until it is resumed, also for rates stored meanwhile", async (database) => {
    const store = database.openStore();
    await storeAt(store, second(10), "1.1");
    await store.rates.suspend(PAIR, byAt(second(20)));
    await storeAt(store, second(30), "1.2");
    await store.rates.resume(PAIR, byAt(second(40)));

    assert.equal(await servedAt(store, second(19)), "1.1 from 10 until 20");
    assert.equal(await servedAt(store, second(20)), "suspended from 20 until 40");
    assert.equal(await servedAt(store, second(35)), "suspended from 20 until 40");
    assert.equal(await servedAt(store, second(40)), "1.2 from 40 until now");
  });

  test("a deleted pair is deleted until it is stored again, and a deletion ends a suspension", async (database) => {
    const store = database.openStore();
    await storeAt(store, second(10), "1.1");
    await store.rates.suspend(PAIR, byAt(second(15)));
    await store.rates.remove(PAIR, byAt(second(20)));
    await storeAt(store, second(30), "1.2");

    assert.equal(await servedAt(store, second(15)), "suspended from 15 until 20");
    assert.equal(await servedAt(store, second(25)), "deleted from 20 until 30");
    assert.equal(await servedAt(store, second(30)), "1.2 from 30 until now");
  });

  test("what follows in the same millisecond is known to follow", async (database) => {
    const store = database.openStore();
    await storeAt(store, second(10), "1.1");
    await store.rates.remove(PAIR, byAt(second(10)));
    await storeAt(store, second(10), "1.2");
    await store.rates.suspend(PAIR, byAt(second(10)));
    await store.rates.resume(PAIR, byAt(second(10)));
    assert.equal(await servedAt(store, second(10)), "1.2 from 10 until now");

    await store.rates.remove(PAIR, byAt(second(10)));
    assert.equal(await servedAt(store, second(11)), "deleted from 10 until now");
  });

  test("a clock that was set back hides no later change", async (database) => {
    const store = database.openStore();
    await storeAt(store, second(100), "1.1");
    await store.rates.suspend(PAIR, byAt(second(110)));
    await store.rates.resume(PAIR, byAt(second(20)));
    assert.equal(await servedAt(store, second(120)), "1.1 from 20 until now");

    await store.rates.remove(PAIR, byAt(second(30)));
    assert.equal(await servedAt(store, second(120)), "deleted from 30 until now");

    await storeAt(store, second(40), "1.2");
    assert.equal(await servedAt(store, second(120)), "1.2 from 40 until now");
    assert.equal(await servedAt(store, second(35)), "deleted from 30 until 40");
  });

  test("after any commands at any times, each moment has the state after the last of them by then", async (database) => {
    const command = fc.record({
      name: fc.constantFrom("store", "store", "suspend", "resume", "remove"),
      waitS: fc.constantFrom(0, 1, 2, 3, -4),
    });
    const store = database.openStore();
    const engine = database.openEngine();
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 12 }), async (commands) => {
        for (const table of ["rates", "observations", "events"]) {
          await engine.query(`DELETE FROM ${table}`);
        }
        const states = await runAndModel(store, commands);
        for (let at = 80; at <= 140; at += 1) {
          const last = states.findLast((state) => state.at <= at);
          const [served = ""] = (await servedAt(store, second(at))).split(" ");
          assert.equal(served, last?.served ?? "unknown", `at ${at}`);
        }
      }),
      { numRuns: 20 },
    );
  });
}

/** Runs commands on EUR/USD. @returns what reads got after each that changed something. */
async function runAndModel(
  store: Store,
  commands: readonly { readonly name: string; readonly waitS: number }[],
) {
  const states: { at: number; served: string }[] = [];
  let at = 100;
  let rate: string | undefined;
  let isSuspended = false;
  let isStored = false;
  for (const [index, { name, waitS }] of commands.entries()) {
    at += waitS;
    if (name === "store") {
      rate = `1.${index + 1}`;
      isStored = true;
      await storeAt(store, second(at), rate);
    } else if (!isStored) {
      continue;
    } else if (name === "remove") {
      isStored = false;
      isSuspended = false;
      await store.rates.remove(PAIR, byAt(second(at)));
    } else {
      isSuspended = name === "suspend";
      await store.rates[isSuspended ? "suspend" : "resume"](PAIR, byAt(second(at)));
    }
    const served = isSuspended ? "suspended" : (rate ?? "");
    states.push({ at, served: isStored ? served : "deleted" });
  }
  return states;
}

function readTests(test: StoreTest): void {
  test("the observations of a pair are listed in pages and by their as_of", async (database) => {
    const store = database.openStore();
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
    assert.equal(await history.countAfter(PAIR, 1), 2);
    assert.equal((await history.observation(PAIR, 2))?.rate, "1.2");
    assert.equal(await history.observation(PAIR, 4), undefined);
  });

  test("the events of a pair are listed alone and in order, with their place in the history", async (database) => {
    const store = database.openStore();
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
async function damagedStore(database: TestDatabase, sql: string, ...values: (string | Buffer)[]) {
  const store = database.openStore();
  await publish(store);
  await publish(store, ecbDay("2026-03-13", { USD: "1.1500" }), { USD: "1.1500" } as never);
  await storeRates(store, [importedRate("EUR/GBP", "0.86")]);
  const engine = database.openEngine();
  if (sql !== "") await engine.query(sql, ...values);
  return store;
}

const reasonsOf = (found: readonly Difference[]) =>
  found.map((one) => {
    assert.ok(one.kind === "observation", one.kind);
    return `${one.observation.quote} ${one.observation.sequence}: ${one.reason}`;
  });

function verifyTests(test: StoreTest): void {
  test("an undamaged history has no difference, and its figures are counted by their origin", async (database) => {
    const { found, counts } = await verified(await damagedStore(database, ""));
    assert.deepEqual(found, []);
    const verifiedCounts = { figures: 3, imported: 1, unverified: 0 };
    assert.deepEqual(counts, {
      ...{ ...verifiedCounts, documents: 2, differences: 0 },
      series: verifiedCounts,
    });
  });

  test("a changed digit, or a changed time, in an observation is the only difference found", async (database) => {
    const change = "UPDATE observations SET rate = '1.1467' WHERE rate = '1.1476'";
    const store = await damagedStore(database, change);

    const { found } = await verified(store);

    assert.equal(found.length, 1);
    const [difference] = found;
    assert.ok(difference?.kind === "figure");
    assert.deepEqual([difference.observation.rate, difference.stated?.rate], ["1.1467", "1.1476"]);

    const engine = database.openEngine();
    await engine.query(
      "UPDATE observations SET rate = '1.1476', as_of = $1 WHERE rate = '1.1467'",
      "2026-03-13T15:00:00.000000001Z",
    );
    assert.deepEqual(
      (await verified(store)).found.map(({ kind }) => kind),
      ["figure"],
    );
  });

  test("changed or exchanged bytes of a document are the only difference found", async (database) => {
    const { compressed } = await packed(DOCUMENT.replace("1.1476", "1.1467"));
    const { hash } = await packed(DOCUMENT);
    const change = "UPDATE documents SET content = $1 WHERE hash = $2";
    const store = await damagedStore(database, change, Buffer.from(compressed), hash);

    const { found, counts } = await verified(store);

    assert.equal(found.length, 1);
    assert.ok(found[0]?.kind === "document");
    assert.deepEqual(
      [found[0].document?.hash, found[0].reason],
      [hash, "its bytes have another SHA-256"],
    );
    assert.equal(counts.figures, 1);

    const engine = database.openEngine();
    await engine.query(change, Buffer.from("not compressed"), hash);
    const [damaged, ...others] = (await verified(store)).found;
    assert.ok(damaged?.kind === "document");
    assert.deepEqual([damaged.reason, others], ["its bytes cannot be decompressed", []]);
  });

  test("a missing document is the only difference found", async (database) => {
    const { hash } = await packed(DOCUMENT);
    const store = await damagedStore(database, "DELETE FROM documents WHERE hash = $1", hash);
    const { found } = await verified(store);
    assert.equal(found.length, 1);
    assert.ok(found[0]?.kind === "document");
    assert.deepEqual([found[0].document?.hash, found[0].reason], [hash, "it is missing"]);
  });

  test("a changed served rate is the only difference found", async (database) => {
    const change = "UPDATE rates SET rate = '1.1501' WHERE quote = 'USD'";
    const { found } = await verified(await damagedStore(database, change));
    assert.equal(found.length, 1);
    assert.ok(found[0]?.kind === "served");
    assert.deepEqual([found[0].served.rate, found[0].last?.rate], ["1.1501", "1.1500"]);
  });

  test("a served rate that is not the last observation, or has none, is a difference", async (database) => {
    const remove = "DELETE FROM observations WHERE quote = 'GBP'";
    const store = await damagedStore(database, remove);
    const [gbp] = (await verified(store)).found;
    assert.ok(gbp?.kind === "served");
    assert.deepEqual([gbp.served.quote, gbp.last], ["GBP", undefined]);

    const engine = database.openEngine();
    await engine.query("UPDATE rates SET observation = 1 WHERE quote = 'USD'");
    const served = (await verified(store)).found.flatMap((one) =>
      one.kind === "served" ? [one.served] : [],
    );
    assert.deepEqual(
      served.map(({ quote }) => quote),
      ["GBP", "USD"],
    );
  });

  test("figures whose documents are lost are counted as not verified", async (database) => {
    const store = await damagedStore(database, "DELETE FROM documents");
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
    test(`an observation of ${quote} with ${change} is reported and not counted as verified`, async (database) => {
      const store = await damagedStore(database, "");
      const sql = `UPDATE observations SET ${change} WHERE quote = '${quote}'`;
      await database.withoutForeignKeys(sql);
      const { found, counts } = await verified(store);
      const observations = found.filter(({ kind }) => kind === "observation");
      assert.deepEqual(reasonsOf(observations), [`${quote} 1: ${reason}`]);
      const { figures, imported, unverified } = counts;
      assert.deepEqual([figures + imported, unverified], [3, 1]);
    });
  }

  test("a pair that is gone without a deletion is reported, and a deleted one is not", async (database) => {
    const store = await damagedStore(database, "");
    await store.rates.remove(pairOf("EUR/GBP"), byAt(second(5)));
    assert.deepEqual((await verified(store)).found, []);
    await storeRates(store, [importedRate("EUR/GBP", "0.86")]);
    const engine = database.openEngine();
    await engine.query("DELETE FROM rates WHERE quote IN ('GBP', 'ISK')");

    const { found } = await verified(store);

    const reason = "its pair is not served, and was not deleted";
    assert.deepEqual(reasonsOf(found), [`GBP 2: ${reason}`, `ISK 1: ${reason}`]);
  });

  test("a gap in the numbers of a pair is reported, and removed oldest ones are not", async (database) => {
    const store = await damagedStore(database, "");
    await storeAt(store, second(10), "1.16", "1.17");
    const engine = database.openEngine();
    await engine.query("DELETE FROM observations WHERE quote = 'USD' AND sequence = 1");
    assert.deepEqual((await verified(store)).found, []);
    await engine.query("DELETE FROM observations WHERE quote = 'USD' AND sequence = 3");
    const { found } = await verified(store);
    assert.deepEqual(reasonsOf(found), ["USD 4: the observation before it is missing"]);
  });

  for (const time of [
    "yesterday",
    "",
    "2026-13-01T00:00:00.000Z",
    "2020-01-01T24:00:00.000Z",
    AHEAD,
  ]) {
    test(`an observation stored at "${time}" is reported`, async (database) => {
      const change = `UPDATE observations SET stored_at = '${time}' WHERE quote = 'ISK'`;
      const { found } = await verified(await damagedStore(database, change));
      const is = time === AHEAD ? "in the future" : "not a time";
      assert.deepEqual(reasonsOf(found), [`ISK 1: the time when it was stored is ${is}`]);
    });
  }

  test("an observation of a node whose clock is five minutes ahead is no difference", async (database) => {
    const change = `UPDATE observations SET stored_at = '${TOLERATED}' WHERE quote = 'ISK'`;
    assert.deepEqual((await verified(await damagedStore(database, change))).found, []);
  });

  test("stored headers that name another source are reported, and missing ones are not", async (database) => {
    const store = await damagedStore(database, "UPDATE rates SET headers = NULL");
    assert.deepEqual((await verified(store)).found, []);
    const engine = database.openEngine();
    const name = (header: string) =>
      engine.query("UPDATE rates SET headers = $1 WHERE quote = 'ISK'", header);
    for (const right of ["ecb", 'ecb;name=\\"European Central Bank\\"']) {
      await name(`["rate-source","${right}"]`);
      assert.deepEqual((await verified(store)).found, []);
    }
    for (const wrong of ["nbp;name", "ecb2", "EUR", "x"]) {
      await name(`["rate-source","${wrong}"]`);
      const [difference, ...others] = (await verified(store)).found;
      assert.ok(difference?.kind === "headers");
      assert.deepEqual([difference.rate.quote, difference.rate.source], ["ISK", "ecb"]);
      assert.deepEqual(others, []);
    }
  });

  test("a figure that its document does not state is a difference", async (database) => {
    const change = "UPDATE observations SET quote = 'SEK' WHERE rate = '144.20'";
    const { found } = await verified(await damagedStore(database, change));
    const figures = found.flatMap((one) => (one.kind === "figure" ? [one] : []));
    assert.deepEqual(
      figures.map(({ observation, stated }) => [observation.quote, stated]),
      [["SEK", undefined]],
    );
  });
}
