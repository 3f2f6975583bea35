import assert from "node:assert/strict";
import { test } from "node:test";
import { startSharedService, TestClock } from "../support/service.ts";
import { answering, countedClient } from "./counted.ts";

// The bundled rate of EUR/USD is of 13 March 2026, a Friday; the ECB's next one was due on Monday.
const PUBLISHED = "2026-03-13T16:00:00.000Z";
const MONDAY = "2026-03-16T18:00:00.000Z";
const WEDNESDAY = "2026-03-18T18:00:00.000Z";
const THURSDAY = "2026-03-19T18:00:00.000Z";
const NOVEMBER = "2026-11-21T12:00:00.000Z";

const clock = new TestClock(PUBLISHED);
const service = await startSharedService({ clock });
const { url } = service;

const EUR_USD = {
  base: "EUR",
  quote: "USD",
  rate: "1.1476",
  as_of: "2026-03-13T15:00:00.000000000Z",
  type: "direct",
};

const reads: readonly (readonly [maxMissed: number | undefined, time: string, missed?: number])[] =
  [
    [undefined, NOVEMBER],
    [0, PUBLISHED],
    [0, MONDAY, 1],
    [3, WEDNESDAY],
    [3, THURSDAY, 4],
    [98, NOVEMBER, 99],
    [99, NOVEMBER],
  ];

for (const [maxMissed, time, missed] of reads) {
  const outcome =
    missed === undefined ? "is a rate" : `is an error that has it, with ${missed} missed`;
  test(`a rate read on ${time.slice(0, 10)} with maxMissed ${maxMissed} ${outcome}, for one unit`, async () => {
    clock.set(time);
    const { apiKey, usedUnits } = await service.newCustomer();
    const { kurs, requests } = countedClient({ url, apiKey, maxMissed, share: true });

    const [first, joined] = await Promise.all([1, 2].map(() => kurs.rates.get("EUR", "USD")));

    for (const result of [first, joined]) {
      assert.equal(result?.response?.status, 200);
      if (missed === undefined) {
        assert.deepEqual([result.data, result.error], [EUR_USD, undefined]);
        continue;
      }
      const { data, error } = result;
      assert.ok(data === undefined && error.code === "client:stale");
      assert.deepEqual([error.rate, error.missed], [EUR_USD, missed]);
      assert.equal(error.retryAfterSeconds, undefined);
      const count = missed === 99 ? "99 or more publications" : `${missed} publications?`;
      const publisher = 'ecb;name="European Central Bank"';
      assert.match(error.message, new RegExp(`^EUR/USD is of 2026-03-13.* missed ${count} .*\\.$`));
      assert.equal(result.response.headers.get("rate-source"), publisher);
    }
    assert.deepEqual([first?.unitsCharged, joined?.unitsCharged], [1, 0]);
    assert.deepEqual([requests.length, await usedUnits()], [1, 1]);
  });
}

test("a rate that was cached is as old as it was, and costs nothing", async () => {
  const stated = { "units-charged": "1", "rate-missed": "1", "rate-next": "2999-01-01T00:00:00Z" };
  const fetch = answering([200, stated, JSON.stringify(EUR_USD)]);
  const { kurs, requests } = countedClient({ url, fetch, maxMissed: 0, cache: true });

  for (const units of [1, 0]) {
    const { error, unitsCharged } = await kurs.rates.get("EUR", "USD");
    assert.deepEqual([error?.code, unitsCharged], ["client:stale", units]);
  }
  assert.equal(requests.length, 1);
});

test("maxMissed that the service cannot state is an error of the program", () => {
  for (const maxMissed of [-1, 1.5, 100, Number.NaN]) {
    assert.throws(() => countedClient({ url, maxMissed }), {
      name: "RangeError",
      message: `maxMissed must be a whole number from 0 to 99 (got ${maxMissed})`,
    });
  }
});
