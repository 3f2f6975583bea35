import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as after } from "node:timers/promises";
import { packContent } from "../../../src/provenance/documents/content.ts";
import { parsePair } from "../../../src/rates/rules/symbol.ts";
import { createUpdatePolicy } from "../../../src/rates/rules/update-policy.ts";
import type { Decimal } from "../../../src/shared/decimal.ts";
import { createPublisherSource } from "../../../src/sources/fetching/publisher-source.ts";
import { publishers } from "../../../src/sources/publishers/catalogue.ts";
import { createRefreshSource, readSourceStatus } from "../../../src/sources/refresh.ts";
import type { RateSource } from "../../../src/sources/source.ts";
import { openSqliteStore } from "../../../src/store.ts";
import { BY } from "../../contract/suite/database.ts";
import { type Behaviour, body, ecbDay, playPublisher } from "../../support/fake-publisher.ts";
import { fc } from "../../support/properties.ts";
import { headersOf } from "../../support/rates.ts";
import { startService, TestClock } from "../../support/service.ts";

const GOOD = ecbDay("2026-11-20", { USD: "1.1600", ISK: "144.20" });
const LIMITS = { timeoutMs: 600_000, bodyBytesMax: 1024 * 1024, redirectsMax: 3 };
const HOUR_MS = 3_600_000;

/** A service with the snapshot, and the ECB's source with a test publisher. */
async function setUp(first: Behaviour = body(GOOD)) {
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
  const policy = createUpdatePolicy({ rateSources: ["ecb", "cnb"], maxRateJump });
  const refreshSource = createRefreshSource({
    store,
    clock,
    origin: () => BY,
    policy,
    headersOf,
    packContent,
    random: () => 0.5,
  });
  const { apiKey } = await service.newCustomer();
  const disposable = starting.move();
  return {
    ...{ publisher, clock, service, store, source, limits },
    refresh: (fetched: RateSource = source) =>
      refreshSource(fetched, { signal: new AbortController().signal, onlyWhenDue: false }),
    status: async () => (await readSourceStatus(store.sources, [source], clock.nowMs()))[0],
    rate: async (pair: string) => (await service.get(`/v1/rates/${pair}`, { apiKey })).body,
    [Symbol.asyncDispose]: () => disposable.disposeAsync(),
  };
}

test("a publication is stored with every digit and served with its publisher's time", async () => {
  await using setup = await setUp();

  const report = await setup.refresh();

  assert.deepEqual([report?.error, report?.stored, report?.held], [undefined, 2, 0]);
  const { rate, as_of } = await setup.rate("EUR/ISK");
  assert.deepEqual([rate, as_of], ["144.20", "2026-11-20T15:00:00.000000000Z"]);
  const status = await setup.status();
  assert.equal(status?.lastSuccessAt, "2026-11-20T16:00:00.000Z");
  assert.deepEqual([status?.lastError, status?.missedPublications], [undefined, 0]);
  assert.match(String(setup.publisher.requests[0]?.["user-agent"]), /^Kurs\//);
});

test("the kinds that are not served go to their series alone, with the publisher's date", async () => {
  await using setup = await setUp();
  const asOf = "2026-11-19T21:00:00.000000000Z";
  const line = { base: "USD", quote: "RUB", asOf, date: "2026-11-20" };
  const lines = [
    { ...line, rate: "79.5", kind: "buying" },
    { ...line, rate: "80.1", kind: "selling", validUntil: "2026-11-30" },
    { base: "CNY", quote: "RUB", asOf, rate: "11.1", kind: "buying" },
  ] as const;
  const fetch = async () => ({ lines, documents: [], validators: undefined });

  const report = await setup.refresh({ ...setup.source, servedKind: "selling", fetch });

  assert.deepEqual([report?.stored, report?.skipped, report?.rejections], [1, 0, []]);
  assert.equal((await setup.rate("USD/RUB")).rate, "80.1");
  assert.equal((await setup.rate("CNY/RUB")).code, "unsupported_pair");
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

const failures: readonly (readonly [string, Behaviour, RegExp])[] = [
  ["is too slow", () => undefined, /did not respond within 0\.1 s/],
  ["is a 500", (response) => void response.writeHead(500).end(GOOD), /responded with 500/],
  ["is a 404", (response) => void response.writeHead(404).end(), /responded with 404/],
  ["is cut off", body(GOOD.slice(0, 300)), /cannot be read|no rate/],
  ["is HTML", body("<html><body>We moved.</body></html>"), /cannot be read|no rate/],
  ["has no rates", body(ecbDay("2026-11-20", {})), /no rate/],
  ["has no body", body(""), /empty/],
  ["is too large", body(GOOD + " ".repeat(2 * 1024 * 1024)), /larger than 1 MiB/],
  [
    "redirects in a circle",
    (response) => void response.writeHead(302, { location: "/again" }).end(),
    /redirects too many times/,
  ],
  [
    "redirects to a file",
    (response) => void response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    /not a web address/,
  ],
  ["is broken off", (response) => void response.writeHead(200).destroy(), /127\.0\.0\.1/],
];

for (const [what, behaviour, reason] of failures) {
  test(`a response that ${what} is a failure with its reason, and the rates stay`, async () => {
    await using setup = await setUp();
    await setup.refresh();
    setup.clock.advanceMs(24 * HOUR_MS);
    setup.publisher.behave(behaviour);
    if (what === "is too slow") setup.limits.timeoutMs = 100;

    const report = await setup.refresh();

    assert.match(report?.error ?? "", reason);
    assert.equal((await setup.rate("EUR/USD")).rate, "1.1600");
    const status = await setup.status();
    assert.match(status?.lastError ?? "", reason);
    assert.deepEqual([status?.failures, status?.pairs], [1, 29]);
    assert.equal(status?.lastSuccessAt, "2026-11-20T16:00:00.000Z");
    assert.equal(status?.nextAttemptAt, "2026-11-21T16:01:00.000Z");
  });
}

test("a body of the greatest size is read, after as many redirects as are followed", async () => {
  await using setup = await setUp((response, headers) => {
    const isRedirected = setup.publisher.requests.length <= LIMITS.redirectsMax;
    if (isRedirected) response.writeHead(302, { location: "/rates" }).end();
    else body(GOOD)(response, headers);
  });
  setup.limits.bodyBytesMax = Buffer.byteLength(GOOD);

  const report = await setup.refresh();

  assert.equal(report?.error, undefined);
  assert.equal(setup.publisher.requests.length, LIMITS.redirectsMax + 1);
});

test("a response of 50 MB is cut off early", async () => {
  let sentBytes = 0;
  await using setup = await setUp((response) => {
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

  assert.match((await setup.refresh())?.error ?? "", /larger than 1 MiB/);
  assert.ok(sentBytes < 25 * 1024 * 1024, `${sentBytes} bytes were read`);
});

test("the delay after consecutive failures grows from a minute to an hour", async () => {
  await using setup = await setUp((response) => void response.writeHead(503).end());
  const waits: number[] = [];
  for (let count = 0; count < 8; count += 1) {
    await setup.refresh();
    waits.push(Date.parse((await setup.status())?.nextAttemptAt ?? "") - setup.clock.nowMs());
  }
  assert.deepEqual(
    waits.map((milliseconds) => milliseconds / 60_000),
    [1, 2, 4, 8, 16, 32, 60, 60],
  );
});

test("an unchanged publication is requested with its validators, also after a 304", async () => {
  const modified = "Fri, 20 Nov 2026 15:00:00 GMT";
  await using setup = await setUp(body(GOOD, { etag: '"one"', "last-modified": modified }));
  await setup.refresh();
  setup.publisher.behave((response) => void response.writeHead(304).end());

  // A 304 without validators keeps those of the body.
  for (let times = 0; times < 2; times += 1) {
    const report = await setup.refresh();
    assert.deepEqual([report?.error, report?.stored], [undefined, 0]);
  }

  const sent = setup.publisher.requests.map((headers) => [
    headers["if-none-match"],
    headers["if-modified-since"],
  ]);
  const known = ['"one"', modified];
  assert.deepEqual(sent, [[undefined, undefined], known, known]);
  assert.equal((await setup.status())?.missedPublications, 0);
});

test("a deleted pair comes back with the next fetch, although the publication is unchanged", async () => {
  await using setup = await setUp((response, headers) => {
    if (headers["if-none-match"] === '"one"') response.writeHead(304).end();
    else body(GOOD, { etag: '"one"' })(response, headers);
  });
  await setup.refresh();
  assert.equal((await setup.refresh())?.stored, 0);
  const pair = parsePair("EUR", "USD");
  assert.ok(pair !== undefined);

  await setup.store.rates.remove(pair, BY);
  assert.equal((await setup.rate("EUR/USD")).code, "unsupported_pair");
  const report = await setup.refresh();

  assert.deepEqual([report?.stored, report?.skipped], [1, 1]);
  assert.equal((await setup.rate("EUR/USD")).rate, "1.1600");
  // The fetch after that is conditional again.
  assert.equal((await setup.refresh())?.stored, 0);
  const conditional = setup.publisher.requests.map((headers) => "if-none-match" in headers);
  assert.deepEqual(conditional, [false, true, false, true]);
});

test("yesterday's file again changes nothing, and the publication counts as missed", async () => {
  await using setup = await setUp();
  await setup.refresh();
  // Monday evening: the weekend does not count as missed.
  setup.clock.set("2026-11-23T14:00:00.000Z");
  assert.equal((await setup.status())?.missedPublications, 0);
  setup.clock.set("2026-11-23T18:00:00.000Z");

  const report = await setup.refresh();

  assert.deepEqual([report?.error, report?.stored, report?.skipped], [undefined, 0, 2]);
  assert.equal((await setup.status())?.missedPublications, 1);
  assert.equal((await setup.status())?.nextAttemptAt, "2026-11-23T18:15:00.000Z");
});

test("a garbage value is held and the old rate served until it is released or dropped", async () => {
  await using setup = await setUp();
  await setup.refresh();
  setup.clock.set("2026-11-23T16:00:00.000Z");
  setup.publisher.behave(body(ecbDay("2026-11-23", { USD: "38.87", ISK: "145.00" })));

  const report = await setup.refresh();

  assert.deepEqual([report?.stored, report?.held], [1, 1]);
  assert.equal((await setup.rate("EUR/USD")).rate, "1.1600");
  assert.equal((await setup.rate("EUR/ISK")).rate, "145.00");
  const [held] = await setup.store.rates.listHeld();
  assert.ok(held !== undefined);
  assert.deepEqual([held.rate, held.servedRate, held.source], ["38.87", "1.1600", "ecb"]);
  await setup.store.rates.releaseHeld(held, headersOf, BY);
  assert.equal((await setup.rate("EUR/USD")).rate, "38.87");
});

test("an invalid row is reported, and the others are stored", async () => {
  const figures = { USD: "1.1700", ISK: "n/a", GBP: "-1", JPY: "0", SEK: "10.9000" };
  await using setup = await setUp(body(ecbDay("2026-11-20", figures)));

  const report = await setup.refresh();

  assert.deepEqual([report?.stored, report?.rejections.length], [2, 3]);
  assert.equal((await setup.rate("EUR/ISK")).rate, "144.20");
  assert.equal((await setup.rate("EUR/SEK")).rate, "10.9000");
});

test("an exponent is written out in the API", async () => {
  await using setup = await setUp(body(ecbDay("2026-11-20", { COIN: "1.080e-5", BIG: "2.5E3" })));
  await setup.refresh();
  assert.equal((await setup.rate("EUR/COIN")).rate, "0.00001080");
  assert.equal((await setup.rate("EUR/BIG")).rate, "2500");
});

test("only one of two nodes fetches a source at a time", async () => {
  const answered = Promise.withResolvers<void>();
  await using setup = await setUp((response) => {
    answered.promise.then(() => response.end(GOOD), assert.fail);
  });
  const first = setup.refresh();
  while (setup.publisher.requests.length === 0) await after(1);

  assert.equal(await setup.refresh(), undefined);
  answered.resolve();

  assert.equal((await first)?.stored, 2);
  assert.equal(setup.publisher.requests.length, 1);
});

test("any decimal of a publisher keeps every digit in the API", async () => {
  await using setup = await setUp();
  const whole = fc.stringMatching(/^(?:0|[1-9][0-9]{0,11})$/);
  const figure = fc
    .tuple(whole, fc.stringMatching(/^[0-9]{1,12}$/))
    .map(([left, right]) => `${left}.${right}`)
    .filter((text) => /[1-9]/.test(text));
  let count = 0;
  await fc.assert(
    fc.asyncProperty(figure, async (text) => {
      // A new pair each time: no stored rate that it could jump from.
      const currency = `P${String(++count).padStart(3, "0")}`;
      setup.publisher.behave(body(ecbDay("2026-11-20", { [currency]: text })));
      await setup.refresh();
      assert.equal((await setup.rate(`EUR/${currency}`)).rate, text);
    }),
    { numRuns: 40 },
  );
});
