import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchKeys, verify } from "../../client/src/verify.ts";
import { startSharedService, TestClock } from "../support/service.ts";
import { newSigningKey } from "../support/signatures.ts";
import { answering, countedClient } from "./counted.ts";

const clock = new TestClock("2026-03-14T12:00:00Z");
const service = await startSharedService({ clock, config: { signingKey: newSigningKey() } });
const { url } = service;
// The bundled rate of EUR/USD is of Friday, 13 March 2026. There is none of Monday, the 9th.
service.storePast("2026-03-06", "1.16060");

const SATURDAY = "2026-03-07T15:00:00Z";
const TUESDAY = "2026-03-10T14:00:00Z";

const times = [
  ["2026-03-13T14:59:59.999Z", "Fri, 13 Mar 2026 14:59:59 GMT", "1.16060"],
  ["2026-03-13t16:30:00.5+01:30", "Fri, 13 Mar 2026 15:00:00 GMT", "1.1476"],
  [new Date("2026-03-09T14:59:59.999Z"), "Mon, 09 Mar 2026 14:59:59 GMT", "1.16060"],
] as const;

for (const [at, header, rate] of times) {
  test(`a read at ${JSON.stringify(at)} asks for ${header}, and gets ${rate}`, async () => {
    const { apiKey, usedUnits } = await service.newCustomer();
    let sent: string | null = null;
    const send: typeof fetch = (input, init) => {
      sent = new Headers(init?.headers).get("accept-datetime");
      return fetch(input, init);
    };

    const { kurs } = countedClient({ url, apiKey, fetch: send });
    const { data, unitsCharged } = await kurs.rates.get("EUR", "USD", { at });

    assert.deepEqual([sent, data?.rate, unitsCharged, await usedUnits()], [header, rate, 1, 1]);
    await kurs.rates.get("EUR", "USD", { at: undefined });
    assert.equal(sent, null);
  });
}

test("a time that is none is an error of the program, which says what to write", async () => {
  const { kurs, requests } = countedClient({ url });
  for (const at of [
    ...["", "2026-02-30T12:00:00Z", "2026-03-13T24:00:00Z", "2026-03-13T15:00:60Z", "2026-03-13"],
    ...["2026-03-13T15:00:00", "2026-03-13T15:00:00+25:00", "Fri, 13 Mar 2026 15:00:00 GMT"],
    ...[new Date("now"), null],
  ]) {
    const name = at === null ? "TypeError" : "RangeError";
    const message =
      at === "2026-03-13"
        ? /and "2026-03-13" is a date alone: "2026-03-13T23:59:59Z" is the last second/
        : /^at must be a time such as "2025-10-14T16:00:00Z"/;
    await assert.rejects(kurs.rates.get("EUR", "USD", { at: at as string }), { name, message });
  }
  assert.deepEqual(requests, []);
});

test("rates of the past are kept for good and shared, by pair and second", async () => {
  const { apiKey, usedUnits } = await service.newCustomer();
  let nowMs = clock.nowMs();
  const { kurs } = countedClient({ url, apiKey, share: true, cache: { nowMs: () => nowMs } });
  const unitsAt = async (...ats: readonly (string | undefined)[]) => {
    const results = await Promise.all(ats.map((at) => kurs.rates.get("EUR", "USD", { at })));
    return results.map(({ data, unitsCharged }) => `${unitsCharged} for ${data?.rate}`);
  };

  const first = await unitsAt(SATURDAY, "2026-03-07T16:00:00.3+01:00", undefined);
  assert.deepEqual(first, ["1 for 1.16060", "0 for 1.16060", "1 for 1.1476"]);
  nowMs += 100 * 365 * 86_400_000;
  assert.deepEqual(await unitsAt(SATURDAY), ["0 for 1.16060"]);
  // Not past, perhaps without a publication that is late, and before the first figure.
  for (const at of ["2999-01-01T00:00:00Z", TUESDAY, "2026-03-06T14:00:00Z"]) {
    const results = [...(await unitsAt(at)), ...(await unitsAt(at))].join();
    assert.match(results, /^1 for [^,]+,1 for [^,]+$/, at);
  }
  assert.equal(await usedUnits(), 8);
});

test("a gap of the service before the time is an error beyond maxMissed, and names the time", async () => {
  const { apiKey } = await service.newCustomer();
  const { kurs } = countedClient({ url, apiKey, maxMissed: 0 });
  const { error } = await kurs.rates.get("EUR", "USD", { at: TUESDAY });

  assert.ok(error?.code === "client:stale");
  assert.deepEqual([error.rate.rate, error.missed], ["1.16060", 1]);
  assert.match(error.message, /: the service lacks 1 publication between then and Tue, 10 Mar /);
  assert.equal((await kurs.rates.get("EUR", "USD", { at: SATURDAY })).error, undefined);
});

test("a later figure than the one asked for is none of this API", async () => {
  const later = '{"base":"EUR","quote":"USD","rate":"1","as_of":"2026-03-07T15:00:00.000000000Z"}';
  const { kurs } = countedClient({ url, fetch: answering([200, { "units-charged": "1" }, later]) });
  const { error } = await kurs.rates.get("EUR", "USD", { at: "2026-03-07T14:59:59Z" });

  assert.equal(error?.code, "client:response");
  assert.equal((await kurs.rates.get("EUR", "USD", { at: SATURDAY })).error, undefined);
});

test("a signature of the past is genuine for the time asked for, and for no other or none", async () => {
  const { kurs } = countedClient({ url, apiKey: (await service.newCustomer()).apiKey });
  const past = await kurs.rates.get("EUR", "USD", { at: SATURDAY });
  const newest = await kurs.rates.get("EUR", "USD");
  assert.ok(past.error === undefined && newest.error === undefined);
  const keys = await fetchKeys(url);
  for (const [result, at, reason] of [
    [past, SATURDAY, undefined],
    [past, new Date("2026-03-07T15:00:00.9Z"), undefined],
    [past, "2026-03-07T15:00:01Z", "forged"],
    [past, undefined, "another time"],
    [newest, SATURDAY, "another time"],
  ] as const) {
    const verified = await verify(result, keys, { base: "EUR", quote: "USD", at });
    assert.equal(verified.isGenuine ? undefined : verified.reason, reason, String(at));
  }
});
