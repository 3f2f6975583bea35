import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchKeys } from "../../client/src/verify.ts";
import { startSharedService } from "../support/service.ts";
import { answering, countedClient } from "./counted.ts";

const service = await startSharedService({ config: { freePlanUnits: 3 } });
service.storeRate("HALTED", "USD", "1.5");
service.query("UPDATE rates SET suspended_at = '2026-11-20T00:00:00.000Z' WHERE base = 'HALTED'");
const { url } = service;

test("a read returns the rate as text, what it cost, the response and its body, and no error", async () => {
  const { session, apiKey } = await service.newCustomer();
  const { kurs } = countedClient({ url, apiKey });

  const { data, error, unitsCharged, response } = await kurs.rates.get("eur", " usd ");

  assert.equal(error, undefined);
  assert.deepEqual(data, {
    base: "EUR",
    quote: "USD",
    rate: "1.1476",
    as_of: "2026-03-13T15:00:00.000000000Z",
    type: "direct",
  });
  assert.equal(unitsCharged, 1);
  assert.equal(response?.headers.get("rate-source"), 'ecb;name="European Central Bank"');
  assert.equal(await service.usedUnits(session), 1);
});

test("a failed read returns the service's error, what it cost and no data, after one request", async () => {
  const { session, apiKey } = await service.newCustomer();
  const { kurs, requests } = countedClient({ url, apiKey });
  const read = async (base: string, quote: string) => {
    const { data, error, unitsCharged, response } = await kurs.rates.get(base, quote);
    assert.equal(data, undefined);
    assert.equal(error?.message === undefined, false);
    return [response?.status, error?.code, error?.retryAfterSeconds, unitsCharged];
  };

  assert.deepEqual(await read("E", "USD"), [400, "invalid_asset_symbol", undefined, 0]);
  assert.deepEqual(await read("A/B", "USD"), [400, "invalid_asset_symbol", undefined, 0]);
  assert.deepEqual(await read("USD", "NONE"), [404, "unsupported_pair", undefined, 1]);
  assert.deepEqual(await read("HALTED", "USD"), [503, "temporarily_unavailable", 3600, 1]);
  assert.deepEqual(await read("USD", "NONE"), [404, "unsupported_pair", undefined, 1]);
  assert.equal(requests.length, 5);
  assert.equal(await service.usedUnits(session), 3);

  // Nine and a half days.
  assert.deepEqual(await read("EUR", "USD"), [429, "quota_exceeded", 820_800, 0]);
  assert.equal(requests.length, 6);
  const { error } = await kurs.rates.get("EUR", "USD");
  assert.ok(error?.code === "quota_exceeded");
  const { limit, remaining, reset_at } = error;
  assert.deepEqual([limit, remaining, reset_at], [3, 0, "2026-12-01T00:00:00.000Z"]);
  const keyless = await countedClient({ url: `${url}/` }).kurs.rates.get("EUR", "USD");
  assert.deepEqual([keyless.error?.code, keyless.unitsCharged], ["unauthorized", 0]);
});

test("a symbol of dots is sent as an invalid one, and an id of dots as an unknown one", async () => {
  const { session, apiKey } = await service.newCustomer();
  const { kurs, requests } = countedClient({ url: `${url}/`, apiKey, cache: true });
  for (const [base, quote] of [
    ...[[".", "USD"] as const, ["..", "USD"] as const, ["EUR", " .. "] as const],
    ...[["..", ".."] as const, ["%2e%2e", "USD"] as const, ["", "USD"] as const],
    ["\ud800", "USD"] as const,
  ]) {
    const { error, unitsCharged } = await kurs.rates.get(base, quote);
    assert.deepEqual([error?.code, unitsCharged], ["invalid_asset_symbol", 0], `${base}/${quote}`);
  }
  for (const id of [".", "..", ""]) {
    assert.equal((await kurs.account(session).keys.revoke(id)).error?.code, "not_found");
  }
  for (const request of requests) {
    assert.match(request, /^(?:GET \/v1\/rates\/[^/]+|DELETE \/v1\/account\/api-keys)\/[^/]+$/);
  }
});

test("an address that is none, and a time that no timer can wait, are errors of the program", async () => {
  const { apiKey } = await service.newCustomer();
  const { kurs, requests } = countedClient({ url, apiKey, share: true });

  for (const wrong of [
    ...["kurs.example.org", "localhost:8080", "ftp://kurs.example.org", "", undefined],
    ...["https://ada:secret@kurs.example.org", "https://kurs.example.org/?key=1#part"],
  ]) {
    const message = /^url must be an address such as "https:\/\/kurs\.example\.org", without/;
    assert.throws(() => countedClient({ url: wrong as string }), { name: "TypeError", message });
    await assert.rejects(fetchKeys(wrong as string), { name: "TypeError", message });
  }
  for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    await assert.rejects(kurs.rates.get("EUR", "USD", { timeoutMs }), RangeError);
  }
  // A text of it would be a symbol, and the read charged.
  await assert.rejects(kurs.rates.get("EUR", undefined as unknown as string), {
    name: "TypeError",
    message: 'base and quote must be texts such as "EUR" (got undefined)',
  });
  assert.deepEqual(requests, []);
});

test("a success that is no rate, or another pair's, is not from Kurs and not cached", async () => {
  const headers = { "units-charged": "1", "rate-next": "2999-01-01T00:00:00Z" };
  const replies: readonly (readonly [number, string | null])[] = [
    ...[[204, null] as const, [200, ""] as const, [200, "{}"] as const, [200, "[]"] as const],
    ...[[200, "null"] as const, [200, '{"base":"EUR","quote":"USD","rate":1}'] as const],
    ...[[200, "<p>"] as const, [200, '{"base":"EUR","quote":"JPY","rate":"1"}'] as const],
  ];
  for (const [status, body] of replies) {
    const fetch = answering([status, headers, body]);
    const { kurs, requests } = countedClient({ url, fetch, cache: true });

    for (const count of [1, 2]) {
      const { data, error, unitsCharged } = await kurs.rates.get("EUR", "USD");

      assert.deepEqual([data, error?.code, unitsCharged], [undefined, "client:response", 1]);
      assert.equal(requests.length, count, "it was cached");
    }
  }
});

test("only a call that returns nothing takes a response without a body", async () => {
  const fetch = answering([204, {}]);
  const { keys, logOut } = countedClient({ url, fetch }).kurs.account("svc_sess_0");

  assert.equal((await keys.list()).error?.code, "client:response");
  assert.equal((await keys.revoke("0")).error, undefined);
  assert.equal((await logOut()).error, undefined);
  const page = answering([200, {}, "<p>"]);
  const proxied = countedClient({ url, fetch: page }).kurs.account("svc_sess_0");
  assert.equal((await proxied.logOut()).error?.code, "client:response");
});
