import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { startServer } from "../support/other-server.ts";
import { startSharedService } from "../support/service.ts";
import { holdWriteLock } from "../support/store-faults.ts";
import { AMPLE_MS, answering, countedClient, EUR_USD, failure, type Reply } from "./counted.ts";

const service = await startSharedService();
const { url } = service;

/** A rejection of a read or a call, with what it cost. */
const rejection = (status: number, code: string, headers: Record<string, string>): Reply => [
  status,
  { "content-type": "application/json", ...headers },
  failure(code),
];
const FREE = { "units-charged": "0" };
const RATE: Reply = [200, { "units-charged": "1" }, EUR_USD];
const WELCOME: Reply = [200, { "retry-after": "0" }, "<p>Welcome."];

/** Responses to a read, and its result: a code or none, its units and requests. */
const reads: readonly (readonly [
  what: string,
  replies: readonly Reply[],
  code: string | undefined,
  units: number | undefined,
  requests: number,
])[] = [
  [
    "an uncharged 503 is repeated after its Retry-After",
    [rejection(503, "temporarily_unavailable", { ...FREE, "retry-after": "0" }), RATE],
    ...([undefined, 1, 2] as const),
  ],
  [
    "an uncharged 429 of a limiter is repeated, and again",
    [
      rejection(429, "too_many_requests", { ...FREE, "retry-after": "0" }),
      rejection(429, "too_many_requests", { ...FREE, "retry-after": "0" }),
      RATE,
    ],
    ...([undefined, 1, 3] as const),
  ],
  [
    "an uncharged rejection is the result where its Retry-After is beyond the deadline",
    [
      rejection(503, "temporarily_unavailable", {
        ...FREE,
        "retry-after": String(AMPLE_MS / 1000),
      }),
      RATE,
    ],
    ...(["temporarily_unavailable", 0, 1] as const),
  ],
  [
    "an uncharged rejection without a Retry-After is the result",
    [rejection(503, "temporarily_unavailable", FREE), RATE],
    ...(["temporarily_unavailable", 0, 1] as const),
  ],
  [
    "a 503 that does not say what it cost is not repeated",
    [rejection(503, "temporarily_unavailable", { "retry-after": "0" }), RATE],
    ...(["temporarily_unavailable", undefined, 1] as const),
  ],
  [
    "a 503 that was charged is not repeated, although it asks to come back",
    [rejection(503, "temporarily_unavailable", { "units-charged": "1", "retry-after": "0" }), RATE],
    ...(["temporarily_unavailable", 1, 1] as const),
  ],
  [
    "a used-up quota is an error at once, also a second before it is renewed",
    [rejection(429, "quota_exceeded", { ...FREE, "retry-after": "1" }), RATE],
    ...(["quota_exceeded", 0, 1] as const),
  ],
  [
    "a 503 that is not from Kurs is not repeated",
    [[503, { "retry-after": "0" }, "<p>Down."], RATE],
    ...(["client:response", undefined, 1] as const),
  ],
  [
    "a page instead of a rate is an error",
    [WELCOME, RATE],
    ...(["client:response", undefined, 1] as const),
  ],
];

for (const [what, replies, code, units, count] of reads) {
  test(what, async () => {
    const options = { url: `${url}/prefix/`, fetch: answering(...replies), timeoutMs: AMPLE_MS };
    const { kurs, requests } = countedClient(options);

    const { data, error, unitsCharged } = await kurs.rates.get("EUR", "USD");

    assert.deepEqual([error?.code, unitsCharged], [code, units]);
    assert.equal(data?.rate, code === undefined ? "1" : undefined);
    assert.deepEqual(requests, Array(count).fill("GET /prefix/v1/rates/EUR/USD"));
  });
}

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

test("a redirect is not followed: it could take the credential elsewhere", async () => {
  const paths: unknown[] = [];
  await using server = await startServer((request, response) => {
    paths.push(request.url);
    response.writeHead(302, { location: "/elsewhere", "retry-after": "0" }).end();
  });
  const { kurs } = countedClient({ url: server.url, timeoutMs: AMPLE_MS });

  assert.equal((await kurs.rates.get("EUR", "USD")).error?.code, "client:response");
  assert.deepEqual(paths, ["/v1/rates/EUR/USD"]);
});

test("a connection that closes before or within the response is an error, and not repeated", async () => {
  let arrived = 0;
  await using server = await startServer((_request, response) => {
    arrived += 1;
    if (arrived === 1) response.writeHead(200, { "units-charged": "1" }).end(EUR_USD);
    else if (arrived === 2) response.destroy();
    else {
      response.writeHead(200, { "units-charged": "1", "content-length": "100" });
      response.write('{"rate"', () => response.destroy());
    }
  });
  const { kurs } = countedClient({ url: server.url, timeoutMs: AMPLE_MS });
  assert.equal((await kurs.rates.get("EUR", "USD")).data?.rate, "1");

  for (const [units, status] of [
    [undefined, undefined],
    [1, 200],
  ]) {
    const { error, unitsCharged, response } = await kurs.rates.get("EUR", "USD");
    assert.equal(error?.code, "client:network");
    assert.deepEqual([unitsCharged, response?.status], [units, status]);
    assert.ok("cause" in error && error.cause instanceof Error);
  }
  assert.equal(arrived, 3);
});

test("a call ends with its signal or the client's, also where fetch ignores them", async () => {
  const never: typeof fetch = () => new Promise(() => undefined);
  for (const send of [fetch, never]) {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    await using server = await startServer(() => resolve());
    const closing = new AbortController();
    const calling = new AbortController();
    const { signal } = calling;
    const options = { url: server.url, fetch: send, timeoutMs: AMPLE_MS, signal: closing.signal };
    const { kurs } = countedClient(options);

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

test("a call ends when its time or the client's has passed, shared or not", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const fetch = () => new Promise<Response>(() => undefined);
  for (const share of [false, true]) {
    const { kurs } = countedClient({ url, fetch, share, timeoutMs: AMPLE_MS });
    let ended = 0;
    const calls = [{}, { timeoutMs: 1000 }].map((options) =>
      kurs.rates.get("EUR", "USD", options).finally(() => {
        ended += 1;
      }),
    );

    for (const [passedMs, count] of [
      [999, 0],
      [1, 1],
      [AMPLE_MS - 1001, 1],
      [1, 2],
    ] as const) {
      t.mock.timers.tick(passedMs);
      for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
      assert.equal(ended, count);
    }
    for (const { error } of await Promise.all(calls)) assert.equal(error?.code, "client:timeout");
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

test("a call that has ended leaves no timer and no listener, shared, aborted or not", async (t) => {
  const { mock } = t.mock.method(globalThis, "setTimeout");
  // A failed test would wait for those that are left.
  t.after(() => {
    for (const { result } of mock.calls) clearTimeout(result);
  });
  const running = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout");
  const before = running().length;
  for (const share of [false, true]) {
    const { signal: closing } = new AbortController();
    const { kurs } = countedClient({ url, fetch: answering(RATE), share, signal: closing });
    for (const signal of [new AbortController().signal, AbortSignal.abort()]) {
      const read = () => kurs.rates.get("EUR", "USD", { signal });
      await Promise.all([read(), read()]);

      assert.deepEqual(
        [signal, closing].map((each) => getEventListeners(each, "abort")),
        [[], []],
      );
      assert.equal(running().length, before);
    }
  }
  assert.ok(mock.callCount() >= 8);
});

test("an abort while the client waits for a retry ends the call and its timer, at no cost", async (t) => {
  const { mock: started } = t.mock.method(globalThis, "setTimeout");
  const { mock: cleared } = t.mock.method(globalThis, "clearTimeout");
  const stopping = new AbortController();
  const rejected = rejection(503, "temporarily_unavailable", { ...FREE, "retry-after": "60" });
  const { kurs, requests } = countedClient({
    url,
    timeoutMs: AMPLE_MS,
    async fetch(input, init) {
      // Once its body was read, the client waits.
      setImmediate(() => setImmediate(() => stopping.abort()));
      return await answering(rejected)(input, init);
    },
  });

  const { error, unitsCharged } = await kurs.rates.get("EUR", "USD", { signal: stopping.signal });

  assert.deepEqual([error?.code, unitsCharged], ["client:aborted", 0]);
  assert.equal(requests.length, 1);
  const isPause = (waitMs = 0) => waitMs > 60_000 && waitMs < AMPLE_MS;
  const pause = started.calls.find(({ arguments: [, waitMs] }) => isPause(waitMs))?.result;
  assert.ok(pause !== undefined);
  assert.ok(cleared.calls.some(({ arguments: [timer] }) => timer === pause));
});
