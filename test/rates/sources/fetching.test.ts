import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as after } from "node:timers/promises";
import { publishers } from "../../../src/rates/publishers/catalogue.ts";
import { createRefreshSource, readSourceStatus } from "../../../src/rates/refresh.ts";
import { createUpdatePolicy } from "../../../src/rates/rules/update-policy.ts";
import { createPublisherSource } from "../../../src/rates/sources/publisher-source.ts";
import type { Decimal } from "../../../src/shared/decimal.ts";
import { openSqliteStore } from "../../../src/store.ts";
import { type Behaviour, body, ecbDay, playPublisher } from "../../support/fake-publisher.ts";
import { fc } from "../../support/properties.ts";
import { startService, TestClock } from "../../support/service.ts";

const GOOD = ecbDay("2026-11-20", { USD: "1.1600", ISK: "144.20" });
const LIMITS = { timeoutMs: 600_000, bodyBytesMax: 1024 * 1024, redirectsMax: 3 };
const HOUR_MS = 3_600_000;

/** A service with the snapshot, and the ECB's source pointed at a publisher of the test's own. */
async function newDesk(first: Behaviour = body(GOOD)) {
  await using starting = new AsyncDisposableStack();
  const publisher = starting.use(await playPublisher(first));
  const clock = new TestClock("2026-11-20T16:00:00.000Z");
  const service = starting.use(await startService({ clock }));
  const store = starting.use(openSqliteStore(service.dataDirectory, 1000));
  const ecb = publishers.find(({ key }) => key === "ecb");
  assert.ok(ecb !== undefined);
  const limits = { ...LIMITS };
  const settings = { userAgent: "Kurs/test", limits, clock };
  const source = createPublisherSource({ ...ecb, addresses: [publisher.address] }, settings);
  const maxRateJump = "0.5" as Decimal;
  const judge = createUpdatePolicy({ rateSources: ["ecb", "cnb"], maxRateJump });
  const refreshSource = createRefreshSource({ store, clock, judge, random: () => 0.5 });
  const { apiKey } = await service.newCustomer();
  const disposable = starting.move();
  return {
    ...{ publisher, clock, service, store, source, limits },
    refresh: () =>
      refreshSource(source, { signal: new AbortController().signal, onlyWhenDue: false }),
    status: async () => (await readSourceStatus(store.sources, [source], clock.nowMs()))[0],
    rate: async (pair: string) => (await service.get(`/v1/rates/${pair}`, { apiKey })).body,
    [Symbol.asyncDispose]: () => disposable.disposeAsync(),
  };
}

test("a publication is stored digit by digit, and served at its publisher's time", async () => {
  await using desk = await newDesk();

  const report = await desk.refresh();

  assert.deepEqual([report?.error, report?.stored, report?.held], [undefined, 2, 0]);
  const { rate, as_of } = await desk.rate("EUR/ISK");
  assert.deepEqual([rate, as_of], ["144.20", "2026-11-20T15:00:00.000000000Z"]);
  const status = await desk.status();
  assert.equal(status?.lastSuccessAt, "2026-11-20T16:00:00.000Z");
  assert.deepEqual([status?.lastError, status?.missedPublications], [undefined, 0]);
  assert.match(String(desk.publisher.requests[0]?.["user-agent"]), /^Kurs\//);
});

const failures: readonly (readonly [string, Behaviour, RegExp])[] = [
  ["is too slow", () => undefined, /did not respond within 0\.1 s/],
  ["answers 500", (response) => void response.writeHead(500).end(GOOD), /responded with 500/],
  ["answers 404", (response) => void response.writeHead(404).end(), /responded with 404/],
  ["is cut short", body(GOOD.slice(0, 300)), /cannot be read|no rate/],
  ["is HTML", body("<html><body>We moved.</body></html>"), /cannot be read|no rate/],
  ["is of an empty day", body(ecbDay("2026-11-20", {})), /no rate/],
  ["has no body", body(""), /empty/],
  ["is too large", body(GOOD + " ".repeat(2 * 1024 * 1024)), /larger than 1 MiB/],
  [
    "leads in circles",
    (response) => void response.writeHead(302, { location: "/again" }).end(),
    /redirects too many times/,
  ],
  [
    "leads out of the web",
    (response) => void response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    /not a web address/,
  ],
  ["breaks off", (response) => void response.writeHead(200).destroy(), /127\.0\.0\.1/],
];

for (const [what, behaviour, reason] of failures) {
  test(`an answer that ${what} is a failure with its reason, and the rates stay`, async () => {
    await using desk = await newDesk();
    await desk.refresh();
    desk.clock.advanceMs(24 * HOUR_MS);
    desk.publisher.behave(behaviour);
    if (what === "is too slow") desk.limits.timeoutMs = 100;

    const report = await desk.refresh();

    assert.match(report?.error ?? "", reason);
    assert.equal((await desk.rate("EUR/USD")).rate, "1.1600");
    const status = await desk.status();
    assert.match(status?.lastError ?? "", reason);
    assert.deepEqual([status?.failures, status?.pairs], [1, 29]);
    assert.equal(status?.lastSuccessAt, "2026-11-20T16:00:00.000Z");
    assert.equal(status?.nextAttemptAt, "2026-11-21T16:01:00.000Z");
  });
}

test("50 MB are given up on long before they have come", async () => {
  let sentBytes = 0;
  await using desk = await newDesk((response) => {
    const chunk = Buffer.alloc(64 * 1024, " ");
    const send = () => {
      while (sentBytes < 50 * 1024 * 1024 && response.writable) {
        sentBytes += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", send);
      }
      response.end();
    };
    response.writeHead(200);
    send();
  });

  assert.match((await desk.refresh())?.error ?? "", /larger than 1 MiB/);
  assert.ok(sentBytes < 25 * 1024 * 1024, `${sentBytes} bytes were taken`);
});

test("a failure in a row is tried again later and later, the first time after a minute", async () => {
  await using desk = await newDesk((response) => void response.writeHead(503).end());
  const waits: number[] = [];
  for (let count = 0; count < 8; count += 1) {
    await desk.refresh();
    waits.push(Date.parse((await desk.status())?.nextAttemptAt ?? "") - desk.clock.nowMs());
  }
  assert.deepEqual(
    waits.map((milliseconds) => milliseconds / 60_000),
    [1, 2, 4, 8, 16, 32, 60, 60],
  );
});

test("what has not changed is requested with its validators, after a 304 too", async () => {
  const modified = "Fri, 20 Nov 2026 15:00:00 GMT";
  await using desk = await newDesk(body(GOOD, { etag: '"one"', "last-modified": modified }));
  await desk.refresh();
  desk.publisher.behave((response) => void response.writeHead(304).end());

  // A 304 without validators of its own leaves those that the body came with.
  for (let times = 0; times < 2; times += 1) {
    const report = await desk.refresh();
    assert.deepEqual([report?.error, report?.stored], [undefined, 0]);
  }

  const sent = desk.publisher.requests.map((headers) => [
    headers["if-none-match"],
    headers["if-modified-since"],
  ]);
  const known = ['"one"', modified];
  assert.deepEqual(sent, [[undefined, undefined], known, known]);
  assert.equal((await desk.status())?.missedPublications, 0);
});

test("yesterday's file again changes nothing, and the publication counts as missed", async () => {
  await using desk = await newDesk();
  await desk.refresh();
  // Monday evening: the weekend was no miss.
  desk.clock.set("2026-11-23T14:00:00.000Z");
  assert.equal((await desk.status())?.missedPublications, 0);
  desk.clock.set("2026-11-23T18:00:00.000Z");

  const report = await desk.refresh();

  assert.deepEqual([report?.error, report?.stored, report?.skipped], [undefined, 0, 2]);
  assert.equal((await desk.status())?.missedPublications, 1);
  assert.equal((await desk.status())?.nextAttemptAt, "2026-11-23T18:15:00.000Z");
});

test("a garbage value is held, the old one served, until it is released or dropped", async () => {
  await using desk = await newDesk();
  await desk.refresh();
  desk.clock.set("2026-11-23T16:00:00.000Z");
  desk.publisher.behave(body(ecbDay("2026-11-23", { USD: "38.87", ISK: "145.00" })));

  const report = await desk.refresh();

  assert.deepEqual([report?.stored, report?.held], [1, 1]);
  assert.equal((await desk.rate("EUR/USD")).rate, "1.1600");
  assert.equal((await desk.rate("EUR/ISK")).rate, "145.00");
  const [held] = await desk.store.rates.listHeld();
  assert.ok(held !== undefined);
  assert.deepEqual([held.rate, held.servedRate, held.source], ["38.87", "1.1600", "ecb"]);
  await desk.store.rates.releaseHeld(held);
  assert.equal((await desk.rate("EUR/USD")).rate, "38.87");
});

test("an odd row is reported and the others are stored", async () => {
  const figures = { USD: "1.1700", ISK: "n/a", GBP: "-1", JPY: "0", SEK: "10.9000" };
  await using desk = await newDesk(body(ecbDay("2026-11-20", figures)));

  const report = await desk.refresh();

  assert.deepEqual([report?.stored, report?.rejections.length], [2, 3]);
  assert.equal((await desk.rate("EUR/ISK")).rate, "144.20");
  assert.equal((await desk.rate("EUR/SEK")).rate, "10.9000");
});

test("an exponent is written out on its way to the API", async () => {
  await using desk = await newDesk(body(ecbDay("2026-11-20", { COIN: "1.080e-5", BIG: "2.5E3" })));
  await desk.refresh();
  assert.equal((await desk.rate("EUR/COIN")).rate, "0.00001080");
  assert.equal((await desk.rate("EUR/BIG")).rate, "2500");
});

test("of two nodes only one fetches a source at a time", async () => {
  const answered = Promise.withResolvers<void>();
  await using desk = await newDesk((response) => {
    answered.promise.then(() => response.end(GOOD), assert.fail);
  });
  const first = desk.refresh();
  while (desk.publisher.requests.length === 0) await after(1);

  assert.equal(await desk.refresh(), undefined);
  answered.resolve();

  assert.equal((await first)?.stored, 2);
  assert.equal(desk.publisher.requests.length, 1);
});

test("any decimal that a publisher prints comes out of the API digit by digit", async () => {
  await using desk = await newDesk();
  const whole = fc.stringMatching(/^(?:0|[1-9][0-9]{0,11})$/);
  const figure = fc
    .tuple(whole, fc.stringMatching(/^[0-9]{1,12}$/))
    .map(([left, right]) => `${left}.${right}`)
    .filter((text) => /[1-9]/.test(text));
  let count = 0;
  await fc.assert(
    fc.asyncProperty(figure, async (text) => {
      // A pair of its own each time: nothing to be too far from.
      const currency = `P${String(++count).padStart(3, "0")}`;
      desk.publisher.behave(body(ecbDay("2026-11-20", { [currency]: text })));
      await desk.refresh();
      assert.equal((await desk.rate(`EUR/${currency}`)).rate, text);
    }),
    { numRuns: 40 },
  );
});
