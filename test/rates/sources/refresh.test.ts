import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import type { AssetSymbol } from "../../../src/rates/served/rules/symbol.ts";
import { createUpdatePolicy } from "../../../src/rates/served/rules/update-policy.ts";
import { packContent } from "../../../src/rates/sources/fetching/content.ts";
import { createRefreshSource, readSourceStatus } from "../../../src/rates/sources/refresh.ts";
import type { RateSource } from "../../../src/rates/sources/source.ts";
import { BY } from "../../contract/suite/origins.ts";
import {
  type Behaviour,
  body,
  cnbDay,
  ecbDay,
  FAILED,
  FETCHED,
  logged,
  nbpTable,
  playPublisher,
  sourceAt,
} from "../../support/fake-publisher.ts";
import { scrape } from "../../support/metrics.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { headersOf } from "../../support/rates.ts";
import { startService, TestClock } from "../../support/service.ts";
import { openSqliteStore, type Store } from "../../support/stores.ts";

const SATURDAY = "2026-11-21T12:00:00.000Z";
const SNAPSHOT_USD = "1.1476 as of 2026-03-13T15:00:00.000000000Z";

/** What fetches a source now, as `kurs rates fetch` does while the server runs. */
const newRefresh = (store: Store, clock: TestClock, rateSources: readonly string[]) =>
  createRefreshSource({
    store,
    clock,
    policy: createUpdatePolicy({ rateSources, maxRateJump: "0.5" as Decimal }),
    headersOf,
    packContent,
    origin: () => BY,
    random: () => 0.5,
  });

/** A service that fetches ecb and nbp from its start, with an account. */
async function setUp(
  play: { ecb?: Behaviour; nbpA?: Behaviour; nbpB?: Behaviour; now?: string } = {},
) {
  await using starting = new AsyncDisposableStack();
  const { ecb: ecbPlays = body(ecbDay("2026-11-20", { USD: "1.1600" })) } = play;
  const { nbpA: nbpAPlays = body(nbpTable("2026-11-20", { USD: "3.6010" })) } = play;
  const { nbpB: nbpBPlays = body(nbpTable("2026-11-18", { PAB: "3.6770" })) } = play;
  const ecb = starting.use(await playPublisher(ecbPlays));
  const nbpA = starting.use(await playPublisher(nbpAPlays));
  const nbpB = starting.use(await playPublisher(nbpBPlays));
  const clock = new TestClock(play.now ?? SATURDAY);
  const sources: readonly RateSource[] = [
    sourceAt("ecb", [ecb.address], clock),
    sourceAt("nbp", [nbpA.address, nbpB.address], clock),
  ];
  const rateSources = sources.map(({ key }) => key);
  const service = starting.use(
    await startService({ clock, sources, config: { rateSources, metricsPort: 0 } }),
  );
  const store = starting.use(openSqliteStore(service.dataDirectory, 5000));
  const refreshSource = newRefresh(store, clock, rateSources);
  const { apiKey } = await service.newCustomer();
  const disposable = starting.move();
  return {
    service,
    store,
    clock,
    ecb,
    nbpA,
    nbpB,
    async refresh(key: string, replaced: Partial<RateSource> = {}) {
      const source = sources.find((known) => known.key === key);
      assert.ok(source !== undefined);
      const how = { signal: new AbortController().signal, onlyWhenDue: false };
      const report = await refreshSource({ ...source, ...replaced }, how);
      assert.ok(report !== undefined, "another node fetches it");
      return report;
    },
    async status(key: string) {
      const states = await readSourceStatus(store.sources, sources, clock.nowMs());
      const state = states.find(({ source }) => source === key);
      assert.ok(state !== undefined);
      return state;
    },
    /** The API's result for a pair: a rate with its time, or a status with its code. */
    async read(pair: string): Promise<string> {
      const { status, body: json } = await service.get(`/v1/rates/${pair}`, { apiKey });
      return status === 200 ? `${json.rate} as of ${json.as_of}` : `${status} ${json.code}`;
    },
    [Symbol.asyncDispose]: () => disposable.disposeAsync(),
  };
}

test("a pair that left its publisher's table is counted wherever its source is called up to date", async () => {
  const now = "2026-10-01T16:00:00.000Z";
  const before = body(ecbDay("2026-10-01", { USD: "1.1500", ISK: "144.20" }));
  await using setup = await setUp({ ecb: before, now });
  const { service, clock, ecb } = setup;
  await logged(service, FETCHED, "ecb");
  service.query("DELETE FROM rates WHERE quote NOT IN ('USD', 'ISK')");
  const states = async () => {
    const { session, apiKey } = await service.newCustomer(`${clock.nowMs()}@example.org`);
    const metrics = await scrape(service);
    const value = (name: string) => metrics.value(`kurs_source_missed_${name}`, { source: "ecb" });
    const { text: sources } = await service.get("/v1/account/sources", { session });
    const { text: visitors } = await service.get("/coverage.json");
    const { headers } = await service.get("/v1/rates/EUR/ISK", { apiKey });
    const [ofEcb] = JSON.parse(sources).sources;
    return {
      read: headers["rate-missed"],
      metrics: [value("publications"), value("pairs")],
      api: [ofEcb.missed_publications, ofEcb.missed_pairs],
      visitors: JSON.parse(visitors).publishers[0].up_to_date,
    };
  };
  assert.deepEqual(await states(), {
    read: undefined,
    metrics: [0, 0],
    api: [0, 0],
    visitors: true,
  });

  clock.set("2026-11-26T18:10:00.000Z");
  ecb.behave(body(ecbDay("2026-11-26", { USD: "1.1510" })));
  await setup.refresh("ecb");

  assert.deepEqual(await states(), { read: "40", metrics: [0, 1], api: [0, 1], visitors: false });
});

const usdDay = body(ecbDay("2026-11-20", { USD: "1.1600" }), { etag: '"1"' });
const EUR_USD = { base: "EUR" as AssetSymbol, quote: "USD" as AssetSymbol };

test("a deleted pair comes back with the next fetch, although the publication is unchanged", async () => {
  await using setup = await setUp({
    ecb: (response, headers) => {
      if (headers["if-none-match"] === '"1"') response.writeHead(304).end();
      else usdDay(response, headers);
    },
  });
  const { service, store } = setup;
  await logged(service, FETCHED, "ecb");
  const remove = () => store.rates.remove(EUR_USD, BY);
  const fetched = async (stored: number) => {
    const report = await setup.refresh("ecb");
    assert.deepEqual([report.error, report.stored], [undefined, stored]);
    const read = await setup.read("EUR/USD");
    const isStored = read === "1.1600 as of 2026-11-20T15:00:00.000000000Z";
    assert.ok(isStored || read === "404 unsupported_pair", read);
    return isStored;
  };
  await remove();
  assert.equal(await fetched(1), true);
  // Deleted during a fetch, which is conditional again: it returns with the one after.
  setup.ecb.behave(async (response) => {
    await remove();
    response.writeHead(304).end();
  });
  assert.equal(await fetched(0), false);
  setup.ecb.behave(usdDay);
  assert.equal(await fetched(1), true);
  // Deleted just after a fetch has stored it.
  const { recordSuccess } = store.sources;
  store.sources.recordSuccess = async (...outcome) => {
    await remove();
    await recordSuccess(...outcome);
  };
  assert.equal(await fetched(0), false);
  store.sources.recordSuccess = recordSuccess;
  assert.equal(await fetched(1), true);

  const validators = setup.ecb.requests.map((headers) => headers["if-none-match"]);
  assert.deepEqual(validators, [undefined, undefined, '"1"', undefined, '"1"', undefined]);
});

test("the validators of the last body are sent, also after a 304 without any", async () => {
  await using setup = await setUp({ ecb: usdDay });
  await logged(setup.service, FETCHED, "ecb");
  setup.ecb.behave((response) => void response.writeHead(304).end());

  for (const _time of ["first", "second"]) {
    const { error, stored } = await setup.refresh("ecb");
    assert.deepEqual([error, stored], [undefined, 0]);
  }

  const validators = setup.ecb.requests.map((headers) => headers["if-none-match"]);
  assert.deepEqual(validators, [undefined, '"1"', '"1"']);
  assert.equal((await setup.status("ecb")).missedPublications, 0);
});

test("the kinds that are not served go to their series alone, with the publisher's date", async () => {
  await using setup = await setUp();
  const line = { base: "USD", quote: "RUB", asOf: "2026-11-19T21:00:00.000000000Z" };
  const lines = [
    { ...line, date: "2026-11-20", rate: "79.5", kind: "buying" },
    { ...line, date: "2026-11-20", rate: "80.1", kind: "selling", validUntil: "2026-11-30" },
    { ...line, base: "CNY", rate: "11.1", kind: "buying" },
  ] as const;
  const fetch = async () => ({ lines, documents: [], validators: undefined });

  await logged(setup.service, FETCHED, "ecb");
  const report = await setup.refresh("ecb", { servedKind: "selling", fetch });

  assert.deepEqual([report.stored, report.skipped, report.rejections], [1, 0, []]);
  assert.match(await setup.read("USD/RUB"), /^80\.1 /);
  assert.equal(await setup.read("CNY/RUB"), "404 unsupported_pair");
  const figures = setup.service.query(
    "SELECT base, kind, date, rate, valid_until FROM figures WHERE quote = 'RUB' ORDER BY base, kind",
  );
  assert.deepEqual(
    figures.map((figure) => Object.values(figure)),
    [
      ["CNY", "buying", "2026-11-19", "11.1", null],
      ["USD", "buying", "2026-11-20", "79.5", null],
      ["USD", "selling", "2026-11-20", "80.1", "2026-11-30"],
    ],
  );
});

test("an unchanged or older publication changes nothing, and is fetched again until the next is due", async () => {
  await using setup = await setUp();
  await logged(setup.service, FETCHED, "ecb");
  const before = setup.service.query("SELECT * FROM rates");
  const friday = body(ecbDay("2026-11-20", { USD: "1.1600" }));
  const older = body(ecbDay("2026-11-18", { USD: "1.1500" }));
  for (const [at, published, missed, nextAttemptAt] of [
    ["2026-11-21T13:00:00.000Z", friday, 0, "2026-11-23T15:05:00.000Z"],
    ["2026-11-21T14:00:00.000Z", older, 0, "2026-11-23T15:05:00.000Z"],
    // Monday, 16:05 in Berlin: the new file is due, and counts as missed two hours later.
    ["2026-11-23T15:05:00.000Z", friday, 0, "2026-11-23T15:20:00.000Z"],
    ["2026-11-23T18:00:00.000Z", friday, 1, "2026-11-23T18:15:00.000Z"],
    ["2026-11-24T14:55:00.000Z", friday, 1, "2026-11-24T15:05:00.000Z"],
  ] as const) {
    setup.clock.set(at);
    setup.ecb.behave(published);

    const report = await setup.refresh("ecb");

    assert.deepEqual([report.error, report.stored, report.skipped], [undefined, 0, 1]);
    const status = await setup.status("ecb");
    assert.deepEqual(
      [status.newestAsOf, status.missedPublications, status.lastSuccessAt, status.nextAttemptAt],
      ["2026-11-20T15:00:00.000000000Z", missed, at, nextAttemptAt],
    );
  }
  assert.deepEqual(setup.service.query("SELECT * FROM rates"), before);
});

test("a failure delays neither other sources nor clients, and the next attempts come more rarely", async () => {
  await using setup = await setUp({ ecb: (response) => void response.writeHead(500).end() });
  const line = await logged(setup.service, FAILED, "ecb");
  await logged(setup.service, FETCHED, "nbp");

  assert.match(String(line.error), /^127\.0\.0\.1:\d+ responded with 500$/);
  assert.equal(await setup.read("EUR/USD"), SNAPSHOT_USD);
  assert.equal(await setup.read("USD/PLN"), "3.6010 as of 2026-11-20T11:00:00.000000000Z");
  const first = await setup.status("ecb");
  assert.match(first.lastError ?? "", /responded with 500$/);
  assert.deepEqual(
    [first.lastErrorAt, first.lastSuccessAt, first.missedPublications > 0, first.pairs],
    [SATURDAY, undefined, true, 29],
  );
  const minutes: number[] = [];
  for (let failures = 1; failures <= 8; failures += 1) {
    const status = await setup.status("ecb");
    assert.equal(status.failures, failures);
    minutes.push((Date.parse(status.nextAttemptAt) - setup.clock.nowMs()) / 60_000);
    assert.match((await setup.refresh("ecb")).error ?? "", /responded with 500/);
  }
  assert.deepEqual(minutes, [1, 2, 4, 8, 16, 32, 60, 60]);

  // A fetch that succeeds ends them, and a page in its place stores nothing.
  setup.ecb.behave(usdDay);
  assert.equal((await setup.refresh("ecb")).stored, 1);
  setup.ecb.behave(body("<html><body>We moved.</body></html>"));
  assert.match((await setup.refresh("ecb")).error ?? "", /cannot be read/);
  const { failures, lastSuccessAt } = await setup.status("ecb");
  assert.deepEqual([failures, lastSuccessAt], [1, SATURDAY]);
  assert.equal(await setup.read("EUR/USD"), "1.1600 as of 2026-11-20T15:00:00.000000000Z");
});

const ECB = ecbDay("2026-11-20", { USD: "1.1600" });
const CNB = cnbDay("2026-11-20", { USD: "20.906" });
const NBP = nbpTable("2026-11-20", { USD: "3.6010" });
const clock = new TestClock("2026-11-21T12:00:00.000Z");

/** A publisher whose first response waits until the test releases it. */
async function playSlowPublisher(text: string) {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const publisher = await playPublisher((response) => {
    asked.resolve();
    gate.promise.then(() => response.end(text), assert.fail);
  });
  return { ...publisher, asked: asked.promise, release: gate.resolve };
}

test("two nodes on one database fetch from each publisher once, and both serve its rates", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  await using ecb = await playSlowPublisher(ECB);
  await using cnb = await playPublisher(body(CNB));
  await using nbp = await playPublisher(body(NBP));
  const ecbSource = sourceAt("ecb", [ecb.address], clock);
  const cnbSource = sourceAt("cnb", [cnb.address], clock);
  const nbpSource = sourceAt("nbp", [nbp.address], clock);
  const config = { rateSources: ["ecb", "cnb", "nbp"] };

  const firstSources = [ecbSource, cnbSource, nbpSource];
  await using first = await startService({ dataDirectory, clock, config, sources: firstSources });
  await ecb.asked;
  const sources = [ecbSource, cnbSource];
  await using second = await startService({ dataDirectory, clock, config, sources });
  // It has fetched the next source, so it has skipped the one that the first node fetches.
  await logged(second, FETCHED, "cnb");
  ecb.release();
  // The first node continues with its sources, and has skipped cnb when it fetches nbp.
  await logged(first, FETCHED, "nbp");

  assert.equal(ecb.requests.length, 1);
  assert.equal(cnb.requests.length, 1, "cnb was fetched by both nodes within a moment");
  const { apiKey } = await first.newCustomer();
  for (const node of [first, second]) {
    const { body: json } = await node.get("/v1/rates/EUR/USD", { apiKey });
    assert.equal(json.rate, "1.1600");
  }
});

test("a shutdown during a fetch is no failure of the publisher, and the next start fetches at once", {
  timeout: 600_000,
}, async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  await using ecb = await playSlowPublisher(ECB);
  const sources = [sourceAt("ecb", [ecb.address], clock)];
  const options = { dataDirectory, clock, config: { rateSources: ["ecb"] }, sources };
  const stopped = await startService(options);
  await ecb.asked;

  // Without the shutdown the fetch would never end.
  await stopped[Symbol.asyncDispose]();

  {
    await using store = openSqliteStore(dataDirectory, 5000);
    const [status] = await readSourceStatus(store.sources, sources, clock.nowMs());
    assert.deepEqual([status?.lastError, status?.failures], [undefined, 0]);
  }
  ecb.behave(body(ECB));
  await using service = await startService(options);
  await logged(service, FETCHED, "ecb");
});

test("a start after the clock was set back fetches at once", async () => {
  await using directory = await temporaryDirectory();
  await using ecb = await playPublisher(body(ECB));
  for (const now of ["2026-11-21T12:00:00.000Z", "2026-11-20T18:00:00.000Z"]) {
    const own = new TestClock(now);
    const sources = [sourceAt("ecb", [ecb.address], own)];
    const options = { dataDirectory: directory.path, clock: own, sources };
    await using service = await startService({ ...options, config: { rateSources: ["ecb"] } });
    await logged(service, FETCHED, "ecb");
  }
});

test("an exception in a publisher's parser shows in the status and does not block the source", async () => {
  await using directory = await temporaryDirectory();
  await using ecb = await playPublisher(body(ECB));
  await using store = openSqliteStore(directory.path, 5000);
  const sound = sourceAt("ecb", [ecb.address], clock);
  const faulty = { ...sound, fetch: () => Promise.reject(new TypeError("no such member")) };
  const refresh = newRefresh(store, clock, ["ecb"]);
  const how = { signal: new AbortController().signal, onlyWhenDue: false };

  // Reported or thrown: the status must show it in either case.
  await refresh(faulty, how).catch(() => undefined);

  const [status] = await readSourceStatus(store.sources, [sound], clock.nowMs());
  assert.match(status?.lastError ?? "none", /no such member/);
  assert.equal((await refresh(sound, how))?.stored, 1);
});
