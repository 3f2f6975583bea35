import assert from "node:assert/strict";
import { test } from "node:test";
import { startSharedService, TestClock } from "../support/service.ts";
import { AMPLE_MS, countedClient } from "./counted.ts";

// An hour after the bundled rate of EUR/USD was published, three days before the next one is due.
const PUBLISHED = "2026-03-13T16:00:00.000Z";
const NEXT = "2026-03-16T15:05:00.000Z";

const clock = new TestClock(PUBLISHED);
const service = await startSharedService({ clock });
const { url } = service;

test("reads of a pair at the same time share a request and its unit, where the client asks", async () => {
  const { session, apiKey } = await service.newCustomer();
  const { kurs, requests } = countedClient({ url, apiKey, share: true });
  const pairs = [...Array(10).fill("USD"), "JPY"] as const;

  const results = await Promise.all(pairs.map((quote) => kurs.rates.get("EUR", quote)));

  assert.ok(results.every(({ data }) => data !== undefined));
  const units = results.map(({ unitsCharged }) => unitsCharged);
  assert.deepEqual(units, [1, ...Array(9).fill(0), 1]);
  assert.equal(requests.length, 2);
  assert.equal(await service.usedUnits(session), 2);

  assert.equal((await kurs.rates.get("EUR", "USD")).unitsCharged, 1);
  assert.equal(await service.usedUnits(session), 3);
});

test("a pair in lower case is the same pair, for sharing and for the cache", async () => {
  clock.set(PUBLISHED);
  const { session, apiKey } = await service.newCustomer();
  const cache = { nowMs: () => clock.nowMs() };
  const { kurs, requests } = countedClient({ url, apiKey, share: true, cache });

  await Promise.all([kurs.rates.get("EUR", "USD"), kurs.rates.get("eur", " usd ")]);
  assert.equal((await kurs.rates.get("Eur", "usd")).unitsCharged, 0);

  assert.deepEqual(requests, ["GET /v1/rates/EUR/USD"]);
  assert.equal(await service.usedUnits(session), 1);
});

test("a caller that changes its result changes no other's", async () => {
  clock.set(PUBLISHED);
  const { apiKey } = await service.newCustomer();
  const cache = { nowMs: () => clock.nowMs() };
  const { kurs } = countedClient({ url, apiKey, share: true, cache });
  const read = () => kurs.rates.get("EUR", "USD");

  for (const result of [...(await Promise.all([read(), read()])), await read()]) {
    assert.throws(() => Object.assign(result.data ?? {}, { rate: "9" }), TypeError);
    Object.assign(result, { data: { rate: "9" } });
  }

  assert.equal((await read()).data?.rate, "1.1476");
});

test("reads at the same time are requests of their own where the client does not ask", async () => {
  const { session, apiKey } = await service.newCustomer();
  const { kurs } = countedClient({ url, apiKey });

  await Promise.all([kurs.rates.get("EUR", "USD"), kurs.rates.get("EUR", "USD")]);

  assert.equal(await service.usedUnits(session), 2);
});

test("a call that leaves a shared request does not end it for the others", async () => {
  const { session, apiKey } = await service.newCustomer();
  const leaving = new AbortController();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { kurs, requests } = countedClient({
    url,
    apiKey,
    share: true,
    timeoutMs: AMPLE_MS,
    fetch: async (input, init) => {
      await gate;
      return await fetch(input, init);
    },
  });

  const first = kurs.rates.get("EUR", "USD", { signal: leaving.signal });
  const second = kurs.rates.get("EUR", "USD");
  leaving.abort();
  assert.equal((await first).error?.code, "client:aborted");
  open();

  assert.equal((await second).data?.rate, "1.1476");
  assert.equal(requests.length, 1);
  assert.equal(await service.usedUnits(session), 1);
});

test("the cache serves a rate until its publisher's next one is due, and says since when", async () => {
  clock.set(PUBLISHED);
  const { email, apiKey } = await service.newCustomer();
  const nowMs = () => clock.nowMs();
  const { kurs, requests } = countedClient({ url, apiKey, cache: { nowMs } });
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
  clock.set(PUBLISHED);
  const { apiKey } = await service.newCustomer();
  const dayMs = 24 * 60 * 60 * 1000;
  const nowMs = () => clock.nowMs() - 30 * dayMs;
  const { kurs, requests } = countedClient({ url, apiKey, cache: { nowMs } });

  await kurs.rates.get("EUR", "USD");
  clock.set(NEXT);
  await kurs.rates.get("EUR", "USD");

  assert.equal(requests.length, 2);
});

test("the cache keeps a limited number of rates, and no failure", async () => {
  clock.set(PUBLISHED);
  const { session, apiKey } = await service.newCustomer();
  const nowMs = () => clock.nowMs();
  const { kurs, requests } = countedClient({ url, apiKey, cache: { maxPairs: 2, nowMs } });
  for (const quote of ["USD", "JPY", "CZK", "NONE"]) await kurs.rates.get("EUR", quote);

  const read = async (quote: string) => (await kurs.rates.get("EUR", quote)).unitsCharged;

  assert.deepEqual([await read("JPY"), await read("CZK")], [0, 0]);
  assert.deepEqual([await read("NONE"), await read("USD")], [1, 1]);
  assert.equal(requests.length, 6);
  assert.equal(await service.usedUnits(session), 6);
  assert.throws(() => countedClient({ url, cache: { maxPairs: 0 } }), RangeError);
});
