import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientOptions } from "../../client/src/index.ts";
import { startSharedService, TestClock } from "../support/service.ts";
import { AMPLE_MS, countedClient } from "./counted.ts";

// An hour after the bundled rate of EUR/USD was published, three days before the next one is due.
const PUBLISHED = "2026-03-13T16:00:00.000Z";
const NEXT = "2026-03-16T15:05:00.000Z";

const clock = new TestClock(PUBLISHED);
const service = await startSharedService({ clock });
const { url } = service;

/** A customer at the time of the publication, and its client, which caches by the service's clock. */
async function newReader(options: Omit<ClientOptions, "url"> = {}) {
  clock.set(PUBLISHED);
  const { email, apiKey, usedUnits } = await service.newCustomer();
  const { kurs, requests } = countedClient({ url, apiKey, ...options });
  const read = (quote = "USD") => kurs.rates.get("EUR", quote);
  return { email, kurs, requests, read, usedUnits };
}

const nowMs = () => clock.nowMs();

test("reads of a pair at the same time share a request and its unit, where the client asks", async () => {
  const { requests, read, usedUnits } = await newReader({ share: true });

  const results = await Promise.all([...Array(10).fill("USD"), "JPY"].map((each) => read(each)));

  assert.ok(results.every(({ data }) => data !== undefined));
  const units = results.map(({ unitsCharged }) => unitsCharged);
  assert.deepEqual(units, [1, ...Array(9).fill(0), 1]);
  assert.equal(requests.length, 2);
  assert.equal(await usedUnits(), 2);

  assert.equal((await read()).unitsCharged, 1);
  assert.equal(await usedUnits(), 3);
});

test("a pair in lower case is the same pair, for sharing and for the cache", async () => {
  const { kurs, requests, usedUnits } = await newReader({ share: true, cache: { nowMs } });

  await Promise.all([kurs.rates.get("EUR", "USD"), kurs.rates.get("eur", " usd ")]);
  assert.equal((await kurs.rates.get("Eur", "usd")).unitsCharged, 0);

  assert.deepEqual(requests, ["GET /v1/rates/EUR/USD"]);
  assert.equal(await usedUnits(), 1);
});

test("a caller that changes its result changes no other's", async () => {
  const { read } = await newReader({ share: true, cache: { nowMs } });

  for (const result of [...(await Promise.all([read(), read()])), await read()]) {
    assert.throws(() => Object.assign(result.data ?? {}, { rate: "9" }), TypeError);
    Object.assign(result, { data: { rate: "9" } });
  }

  assert.equal((await read()).data?.rate, "1.1476");
});

test("reads at the same time are requests of their own where the client does not ask", async () => {
  const { read, usedUnits } = await newReader();

  await Promise.all([read(), read()]);

  assert.equal(await usedUnits(), 2);
});

test("a call that leaves a shared request does not end it for the others", async () => {
  const leaving = new AbortController();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { kurs, requests, read, usedUnits } = await newReader({
    share: true,
    timeoutMs: AMPLE_MS,
    fetch: async (input, init) => {
      await gate;
      return await fetch(input, init);
    },
  });

  const first = kurs.rates.get("EUR", "USD", { signal: leaving.signal });
  const second = read();
  leaving.abort();
  assert.equal((await first).error?.code, "client:aborted");
  open();

  assert.equal((await second).data?.rate, "1.1476");
  assert.equal(requests.length, 1);
  assert.equal(await usedUnits(), 1);
});

test("the cache serves a rate until its publisher's next one is due, and says since when", async () => {
  const { email, kurs, requests } = await newReader({ cache: { nowMs } });
  const read = async () => {
    const { data, unitsCharged, ...result } = await kurs.rates.get("EUR", "USD");
    assert.equal(data?.rate, "1.1476");
    return [unitsCharged, "cachedSince" in result ? result.cachedSince : undefined];
  };

  assert.deepEqual(await read(), [1, undefined]);
  assert.deepEqual(await read(), [0, PUBLISHED]);
  clock.set(NEXT);
  clock.advanceMs(-1);
  assert.deepEqual(await read(), [0, PUBLISHED]);
  clock.set(NEXT);
  assert.deepEqual(await read(), [1, undefined]);
  // The next publication is due and not here: nothing says until when this rate is the newest.
  assert.deepEqual(await read(), [1, undefined]);

  assert.equal(requests.length, 3);
  // The first session has expired.
  assert.equal(await service.usedUnits(await service.logIn(email)), 3);
});

test("a client's wrong clock keeps no rate longer than its publisher's calendar says", async () => {
  const dayMs = 24 * 60 * 60 * 1000;
  const late = () => clock.nowMs() - 30 * dayMs;
  const { requests, read } = await newReader({ cache: { nowMs: late } });

  await read();
  clock.set(NEXT);
  await read();

  assert.equal(requests.length, 2);
});

test("the cache keeps a limited number of rates, and no failure", async () => {
  const { requests, read, usedUnits } = await newReader({ cache: { maxPairs: 2, nowMs } });
  for (const quote of ["USD", "JPY", "CZK", "NONE"]) await read(quote);

  const costs: unknown[] = [];
  for (const quote of ["JPY", "CZK", "NONE", "USD"]) costs.push((await read(quote)).unitsCharged);

  assert.deepEqual(costs, [0, 0, 1, 1]);
  assert.equal(requests.length, 6);
  assert.equal(await usedUnits(), 6);
  assert.throws(() => countedClient({ url, cache: { maxPairs: 0 } }), RangeError);
});
