import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../support/other-server.ts";
import { startService, startSharedService, TestClock } from "../support/service.ts";
import { holdWriteLock, withoutTable } from "../support/store-faults.ts";
import { AMPLE_MS, countedClient } from "./counted.ts";

const service = await startSharedService();
const { url } = service;

test("a read that a locked store rejected is repeated, and charged once", async () => {
  const { session, apiKey } = await service.newCustomer();
  const lock = holdWriteLock(service);
  let isLocked = true;
  const { kurs, requests } = countedClient({
    url,
    apiKey,
    timeoutMs: AMPLE_MS,
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (isLocked) {
        assert.equal(response.status, 503);
        lock[Symbol.dispose]();
        isLocked = false;
      }
      return response;
    },
  });

  const { data, unitsCharged } = await kurs.rates.get("EUR", "USD");

  assert.equal(data?.rate, "1.1476");
  assert.equal(unitsCharged, 1);
  assert.equal(requests.length, 2);
  assert.equal(await service.usedUnits(session), 1);
});

test("an uncharged rejection is the result at once where its Retry-After is beyond the deadline", async () => {
  await using server = await startServer((_request, response) => {
    const headers = { "content-type": "application/json", "units-charged": "0" };
    response.writeHead(503, { ...headers, "retry-after": String(AMPLE_MS / 1000) });
    response.end('{"code":"temporarily_unavailable","message":"Later.","request_id":"1"}');
  });
  const { kurs, requests } = countedClient({ url: server.url, timeoutMs: AMPLE_MS });

  const { error, unitsCharged } = await kurs.rates.get("EUR", "USD");

  assert.deepEqual([error?.code, error?.retryAfterSeconds], ["temporarily_unavailable", 60]);
  assert.equal(unitsCharged, 0);
  assert.equal(requests.length, 1);
});

test("a 503 that was charged is not repeated, although it asks to come back in a second", async () => {
  const { session, apiKey } = await service.newCustomer();
  const { kurs, requests } = countedClient({ url, apiKey, timeoutMs: AMPLE_MS });
  {
    using _gone = withoutTable(service, "rates");
    const { error, unitsCharged } = await kurs.rates.get("EUR", "USD");
    assert.deepEqual([error?.code, error?.retryAfterSeconds], ["temporarily_unavailable", 1]);
    assert.equal(unitsCharged, 1);
  }
  assert.equal(requests.length, 1);
  assert.equal(await service.usedUnits(session), 1);
});

test("a used-up quota is an error at once, also a second before it is renewed", async () => {
  const clock = new TestClock("2026-11-30T23:59:59.000Z");
  await using ending = await startService({ clock, config: { freePlanUnits: 1 } });
  const { apiKey, session } = await ending.newCustomer();
  const { kurs, requests } = countedClient({ url: ending.url, apiKey, timeoutMs: AMPLE_MS });
  await kurs.rates.get("EUR", "USD");

  const { error, unitsCharged } = await kurs.rates.get("EUR", "USD");

  assert.deepEqual([error?.code, error?.retryAfterSeconds], ["quota_exceeded", 1]);
  assert.equal(unitsCharged, 0);
  assert.equal(requests.length, 2);
  assert.equal(await ending.usedUnits(session), 1);
});

test("a 503 that does not say what it cost is not repeated", async () => {
  await using server = await startServer((_request, response) => {
    response.writeHead(503, { "content-type": "application/json", "retry-after": "0" });
    response.end('{"code":"temporarily_unavailable","message":"In doubt.","request_id":"1"}');
  });
  const { kurs, requests } = countedClient({ url: server.url, timeoutMs: AMPLE_MS });

  const { error, unitsCharged } = await kurs.rates.get("EUR", "USD");

  assert.equal(error?.code, "temporarily_unavailable");
  assert.equal(unitsCharged, undefined);
  assert.equal(requests.length, 1);
});

test("an uncharged 429 of a limiter is repeated after its Retry-After", async () => {
  let arrived = 0;
  await using server = await startServer((_request, response) => {
    arrived += 1;
    const headers = { "content-type": "application/json", "units-charged": "0" };
    if (arrived > 2) {
      response
        .writeHead(200, { ...headers, "units-charged": "1" })
        .end('{"base":"EUR","quote":"USD","rate":"1"}');
    } else {
      response.writeHead(429, { ...headers, "retry-after": "0" });
      response.end('{"code":"too_many_requests","message":"Later.","request_id":"1"}');
    }
  });
  const { kurs, requests } = countedClient({ url: server.url, timeoutMs: AMPLE_MS });

  assert.equal((await kurs.rates.get("EUR", "USD")).data?.rate, "1");
  assert.equal(requests.length, 3);
});

test("a request whose connection closes without a response is not repeated, also on a used one", async () => {
  let arrived = 0;
  await using server = await startServer((_request, response) => {
    arrived += 1;
    if (arrived > 1) response.destroy();
    else
      response
        .writeHead(200, { "units-charged": "1" })
        .end('{"base":"EUR","quote":"USD","rate":"1"}');
  });
  const { kurs, requests } = countedClient({ url: server.url, timeoutMs: AMPLE_MS });

  assert.equal((await kurs.rates.get("EUR", "USD")).data?.rate, "1");
  const { error, unitsCharged, response } = await kurs.rates.get("EUR", "USD");

  assert.equal(error?.code, "client:network");
  assert.deepEqual([unitsCharged, response], [undefined, undefined]);
  assert.ok("cause" in error && error.cause instanceof Error);
  assert.equal(requests.length, 2);
  assert.equal(arrived, 2);
});

test("a body that breaks off is an error, with what its header says it cost", async () => {
  await using server = await startServer((_request, response) => {
    response.writeHead(200, { "units-charged": "1", "content-length": "100" });
    response.write('{"rate"', () => response.destroy());
  });
  const { kurs, requests } = countedClient({ url: server.url, timeoutMs: AMPLE_MS });

  const { error, unitsCharged, response } = await kurs.rates.get("EUR", "USD");

  assert.equal(error?.code, "client:network");
  assert.deepEqual([unitsCharged, response?.status], [1, 200]);
  assert.equal(requests.length, 1);
});

test("a response that is not from Kurs is an error, and a redirect is not followed", async () => {
  const paths: unknown[] = [];
  await using server = await startServer((request, response) => {
    paths.push(request.url);
    const headers = { location: "/elsewhere", "retry-after": "1" };
    if (request.url?.includes("MOVED")) response.writeHead(302, headers).end();
    else if (request.url?.includes("HTML")) response.writeHead(503, headers).end("<p>Down.");
    else response.writeHead(200).end("<p>Welcome.");
  });
  const { kurs } = countedClient({ url: `${server.url}/prefix/`, timeoutMs: AMPLE_MS });
  const codeOf = async (base: string) => (await kurs.rates.get(base, "USD")).error?.code;

  assert.equal(await codeOf("MOVED"), "client:response");
  assert.equal(await codeOf("HTML"), "client:response");
  assert.equal(await codeOf("EUR"), "client:response");
  assert.deepEqual(
    paths,
    ["MOVED", "HTML", "EUR"].map((base) => `/prefix/v1/rates/${base}/USD`),
  );
});

test("a call ends with its time, its signal or the client's, also where fetch ignores them", async () => {
  const never: typeof fetch = () => new Promise(() => undefined);
  for (const send of [fetch, never]) {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    await using server = await startServer(() => resolve());
    const closing = new AbortController();
    const calling = new AbortController();
    const { signal } = calling;
    const options = { url: server.url, fetch: send, timeoutMs: AMPLE_MS, signal: closing.signal };
    const { kurs } = countedClient(options);

    const late = await kurs.rates.get("EUR", "USD", { timeoutMs: 50 });
    assert.deepEqual([late.error?.code, late.unitsCharged], ["client:timeout", undefined]);

    const first = kurs.rates.get("EUR", "USD", { signal });
    const second = kurs.rates.get("EUR", "USD");
    if (send === fetch) await arrived;
    calling.abort(new Error("enough"));
    const aborted = await first;
    assert.deepEqual([aborted.error?.code, aborted.unitsCharged], ["client:aborted", undefined]);
    assert.ok(aborted.error !== undefined && "cause" in aborted.error);
    assert.match(String(aborted.error.cause), /enough/);
    closing.abort();
    assert.equal((await second).error?.code, "client:aborted");
  }
});

test("a call that was aborted before its request sends none, and costs nothing", async () => {
  for (const share of [false, true]) {
    const { kurs, requests } = countedClient({ url, share });

    const { error, unitsCharged } = await kurs.rates.get("EUR", "USD", {
      signal: AbortSignal.abort(),
    });

    assert.deepEqual([error?.code, unitsCharged], ["client:aborted", 0]);
    assert.deepEqual(requests, []);
  }
});

test("an abort while the client waits for a retry ends the call, which has cost nothing", async () => {
  const { session, apiKey } = await service.newCustomer();
  using _lock = holdWriteLock(service);
  const stopping = new AbortController();
  const { kurs, requests } = countedClient({
    url,
    apiKey,
    timeoutMs: AMPLE_MS,
    async fetch(input, init) {
      const response = await fetch(input, init);
      // Once its body was read, the client waits.
      queueMicrotask(() => setImmediate(() => setImmediate(() => stopping.abort())));
      return response;
    },
  });

  const { error } = await kurs.rates.get("EUR", "USD", { signal: stopping.signal });

  assert.equal(error?.code, "client:aborted");
  assert.equal(requests.length, 1);
  assert.equal(await service.usedUnits(session), 0);
});
