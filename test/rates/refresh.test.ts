import assert from "node:assert/strict";
import { test } from "node:test";
import { createRefreshSource, readSourceStatus } from "../../src/rates/refresh.ts";
import { createUpdatePolicy } from "../../src/rates/rules/update-policy.ts";
import type { RateSource } from "../../src/rates/source.ts";
import type { Decimal } from "../../src/shared/decimal.ts";
import { openSqliteStore } from "../../src/store.ts";
import {
  type Behaviour,
  body,
  ecbDay,
  FAILED,
  FETCHED,
  logged,
  nbpTable,
  playPublisher,
  sourceAt,
} from "../support/fake-publisher.ts";
import { fc } from "../support/properties.ts";
import { startService, TestClock } from "../support/service.ts";

const SATURDAY = "2026-11-21T12:00:00.000Z";
const SNAPSHOT_USD = "1.1476 as of 2026-03-13T15:00:00.000000000Z";

/** A service that fetches ecb and nbp itself, from its start on, with a customer. */
async function newDesk(
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
  const service = starting.use(await startService({ clock, sources, config: { rateSources } }));
  const store = starting.use(openSqliteStore(service.dataDirectory, 5000));
  const judge = createUpdatePolicy({ rateSources, maxRateJump: "0.5" as Decimal });
  const refreshSource = createRefreshSource({ store, clock, judge, random: () => 0.5 });
  const { apiKey } = await service.newCustomer();
  const disposable = starting.move();
  return {
    ...{ service, store, clock, ecb, nbpA, nbpB },
    /** Fetches a source now, as `kurs rates fetch` beside the server does. */
    async refresh(key: string) {
      const source = sources.find((known) => known.key === key);
      assert.ok(source !== undefined);
      const report = await refreshSource(source, {
        signal: new AbortController().signal,
        onlyWhenDue: false,
      });
      assert.ok(report !== undefined, "another node fetches it");
      return report;
    },
    async status(key: string) {
      const states = await readSourceStatus(store.sources, sources, clock.nowMs());
      const state = states.find(({ source }) => source === key);
      assert.ok(state !== undefined);
      return state;
    },
    /** What the API answers for a pair: a rate with its time, or a status with its code. */
    async read(pair: string): Promise<string> {
      const { status, body: told } = await service.get(`/v1/rates/${pair}`, { apiKey });
      return status === 200 ? `${told.rate} as of ${told.as_of}` : `${status} ${told.code}`;
    },
    [Symbol.asyncDispose]: () => disposable.disposeAsync(),
  };
}

test("at the start every source is fetched, and its rates come to the API as published", async () => {
  await using desk = await newDesk();
  await logged(desk.service, FETCHED, "nbp");

  assert.equal(await desk.read("EUR/USD"), "1.1600 as of 2026-11-20T15:00:00.000000000Z");
  assert.equal(await desk.read("USD/PLN"), "3.6010 as of 2026-11-20T11:00:00.000000000Z");
  assert.equal(await desk.read("PAB/PLN"), "3.6770 as of 2026-11-18T11:00:00.000000000Z");
  for (const key of ["ecb", "nbp"]) {
    const { missedPublications, lastError } = await desk.status(key);
    assert.deepEqual([missedPublications, lastError], [0, undefined], key);
  }
});

test("a source that fails at the start keeps none of the others and no customer waiting", async () => {
  await using desk = await newDesk({ ecb: (response) => void response.writeHead(500).end() });
  const line = await logged(desk.service, FAILED, "ecb");
  await logged(desk.service, FETCHED, "nbp");

  assert.match(String(line.error), /^127\.0\.0\.1:\d+ responded with 500$/);
  assert.equal(await desk.read("EUR/USD"), SNAPSHOT_USD);
  assert.equal(await desk.read("USD/PLN"), "3.6010 as of 2026-11-20T11:00:00.000000000Z");
  const status = await desk.status("ecb");
  assert.match(status.lastError ?? "", /responded with 500$/);
  assert.deepEqual(
    [status.lastErrorAt, status.lastSuccessAt, status.missedPublications > 0],
    [SATURDAY, undefined, true],
  );
});

test("without a network the snapshot is served, and the status says why it is old", async () => {
  const gone = await playPublisher(body(""));
  await gone[Symbol.asyncDispose]();
  const clock = new TestClock(SATURDAY);
  const sources = [sourceAt("ecb", [gone.address], clock)];
  await using service = await startService({ clock, sources, config: { rateSources: ["ecb"] } });
  const line = await logged(service, FAILED, "ecb");

  const { apiKey } = await service.newCustomer();
  const { body: told } = await service.get("/v1/rates/EUR/USD", { apiKey });

  assert.match(String(line.error), /ECONNREFUSED/);
  assert.equal(told.rate, "1.1476");
  await using store = openSqliteStore(service.dataDirectory, 5000);
  const [status] = await readSourceStatus(store.sources, sources, clock.nowMs());
  assert.match(status?.lastError ?? "", /ECONNREFUSED/);
  assert.ok((status?.missedPublications ?? 0) > 0);
});

test("an exponent is written out, and garbage in its place is held until it is dropped", async () => {
  await using desk = await newDesk({ nbpA: body(nbpTable("2026-11-20", { PEPE: "1.08e-5" })) });
  await logged(desk.service, FETCHED, "nbp");
  const good = "0.0000108 as of 2026-11-20T11:00:00.000000000Z";
  assert.equal(await desk.read("PEPE/PLN"), good);
  desk.clock.set("2026-11-23T12:00:00.000Z");
  desk.nbpA.behave(body(nbpTable("2026-11-23", { PEPE: "38.87" })));

  const report = await desk.refresh("nbp");

  assert.deepEqual([report.error, report.stored, report.held], [undefined, 0, 1]);
  assert.equal(await desk.read("PEPE/PLN"), good);
  const [held] = await desk.store.rates.listHeld();
  assert.ok(held !== undefined);
  assert.deepEqual([held.base, held.rate, held.servedRate], ["PEPE", "38.87", "0.0000108"]);
  assert.equal(await desk.store.rates.dropHeld(held), true);
  assert.equal(await desk.read("PEPE/PLN"), good);
  assert.deepEqual(await desk.store.rates.listHeld(), []);
});

test("a held rate is forgotten when its publisher corrects it", async () => {
  await using desk = await newDesk();
  await logged(desk.service, FETCHED, "ecb");
  desk.clock.set("2026-11-23T16:00:00.000Z");
  desk.ecb.behave(body(ecbDay("2026-11-23", { USD: "11.601" })));
  assert.equal((await desk.refresh("ecb")).held, 1);
  desk.ecb.behave(body(ecbDay("2026-11-23", { USD: "1.1601" })));

  assert.equal((await desk.refresh("ecb")).stored, 1);

  assert.deepEqual(await desk.store.rates.listHeld(), []);
  assert.equal(await desk.read("EUR/USD"), "1.1601 as of 2026-11-23T15:00:00.000000000Z");
});

test("the same publication again stores nothing and is no failure", async () => {
  await using desk = await newDesk();
  await logged(desk.service, FETCHED, "ecb");
  const before = desk.service.query("SELECT * FROM rates");
  desk.clock.advanceMs(3_600_000);

  const report = await desk.refresh("ecb");

  assert.deepEqual([report.error, report.stored, report.skipped], [undefined, 0, 1]);
  assert.deepEqual(desk.service.query("SELECT * FROM rates"), before);
  assert.equal((await desk.status("ecb")).lastSuccessAt, "2026-11-21T13:00:00.000Z");
});

test("an older file than the last changes no rate, nor what the status calls the newest", async () => {
  await using desk = await newDesk();
  await logged(desk.service, FETCHED, "ecb");
  const before = desk.service.query("SELECT * FROM rates");
  desk.ecb.behave(body(ecbDay("2026-11-18", { USD: "1.1500" })));

  const report = await desk.refresh("ecb");

  assert.deepEqual([report.error, report.stored], [undefined, 0]);
  assert.deepEqual(desk.service.query("SELECT * FROM rates"), before);
  const { newestAsOf, missedPublications } = await desk.status("ecb");
  assert.equal(newestAsOf, "2026-11-20T15:00:00.000000000Z");
  assert.equal(missedPublications, 0);
});

test("a publication that is a little late is asked for again soon, not a day later", async () => {
  await using desk = await newDesk({ ecb: body(ecbDay("2026-11-20", { USD: "1.1600" })) });
  await logged(desk.service, FETCHED, "ecb");
  // Monday, 16:05 in Berlin: due, and Friday's file is still there.
  desk.clock.set("2026-11-23T15:05:00.000Z");

  await desk.refresh("ecb");

  const { nextAttemptAt, missedPublications } = await desk.status("ecb");
  assert.equal(missedPublications, 0);
  assert.ok(nextAttemptAt <= "2026-11-23T15:35:00.000Z", `asked again at ${nextAttemptAt}`);
});

test("a 304 to a first request is no success, and the source stays stale", async () => {
  await using desk = await newDesk({ ecb: (response) => void response.writeHead(304).end() });
  await logged(desk.service, FETCHED, "nbp");

  const { lastSuccessAt, lastError } = await desk.status("ecb");

  assert.equal(await desk.read("EUR/USD"), SNAPSHOT_USD);
  assert.deepEqual([lastSuccessAt, /304/.test(lastError ?? "")], [undefined, true]);
});

const digits = (min: number, max: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));

/** A decimal above zero as a publisher prints it, and as it is when written out. */
const printed = fc
  .record({
    whole: fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9][0-9]{0,11}$/)),
    fraction: fc.oneof(fc.constant(""), digits(1, 18)),
    exponent: fc.oneof(fc.constant(undefined), fc.integer({ min: -12, max: 12 })),
    letter: fc.constantFrom("e", "E"),
  })
  .filter(({ whole, fraction }) => /[1-9]/.test(whole + fraction))
  .map(({ whole, fraction, exponent, letter }) => {
    const plain = fraction === "" ? whole : `${whole}.${fraction}`;
    const places = fraction.length - (exponent ?? 0);
    const count = BigInt(whole + fraction);
    const padded = String(count).padStart(places + 1, "0");
    const moved =
      places <= 0
        ? String(count * 10n ** BigInt(-places))
        : `${padded.slice(0, -places)}.${padded.slice(-places)}`;
    if (exponent === undefined) return { text: plain, written: plain };
    return { text: `${plain}${letter}${exponent}`, written: moved };
  });

test("any figure in the ECB's and NBP's layouts comes out of the API digit by digit", async () => {
  await using desk = await newDesk();
  await logged(desk.service, FETCHED, "nbp");
  let count = 0;
  await fc.assert(
    fc.asyncProperty(printed, printed, async (first, second) => {
      // A pair of its own each time: nothing to be too far from.
      const currency = `P${String(++count).padStart(4, "0")}`;
      desk.ecb.behave(body(ecbDay("2026-11-20", { [currency]: first.text })));
      desk.nbpB.behave(body(nbpTable("2026-11-20", { [currency]: second.text })));
      assert.equal((await desk.refresh("ecb")).error, undefined);
      assert.equal((await desk.refresh("nbp")).error, undefined);
      const [ofEcb, ofNbp] = [
        await desk.read(`EUR/${currency}`),
        await desk.read(`${currency}/PLN`),
      ];
      assert.equal(ofEcb.split(" ")[0], first.written, first.text);
      assert.equal(ofNbp.split(" ")[0], second.written, second.text);
    }),
    { numRuns: 30 },
  );
});
