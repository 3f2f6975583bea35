import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { trackExchanges } from "../../../src/http/exchanges.ts";
import { installFastPath } from "../../../src/http/fast-path/connection.ts";
import { commonHeaders } from "../../../src/http/headers.ts";
import type { HttpResponse } from "../../../src/http/response/response.ts";
import { createSerializer } from "../../../src/http/response/serialize.ts";
import { createReadParser } from "../../../src/metering/fast-path.ts";
import { eventually } from "../../support/mails.ts";
import { openWire } from "../../support/raw-connection.ts";
import { TestClock } from "../../support/service.ts";

// The fast path alone on a real server. The test decides how long a read takes: with a store it
// would be too short for anything to happen meanwhile.

interface UnderWay {
  readonly pair: string;
  /** @param body of the response; by default the pair. */
  answer(body?: string): void;
}

async function startLane() {
  const reads: UnderWay[] = [];
  const logged: number[] = [];
  const server = createServer((request, response) => {
    response.setHeader("content-length", request.url?.length ?? 0).end(request.url);
  });
  const parse = createReadParser((_requestId, _apiKey, base, quote) => {
    const { promise, resolve } = Promise.withResolvers<HttpResponse>();
    const pair = `${base}/${quote}`;
    const answer = (body = pair) => resolve({ status: 200, code: undefined, headers: [], body });
    reads.push({ pair, answer });
    return promise;
  });
  installFastPath(server, {
    parse,
    logAccess: (_request, status) => void logged.push(status),
    serialize: createSerializer(server, commonHeaders, new TestClock("2026-11-21T12:00:00.000Z")),
    admit: () => true,
    paceRejection: (refuse) => refuse(),
    acceptConnection: () => true,
    exchanges: trackExchanges(server, () => false),
  });
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => void sockets.push(socket));
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => resolve());
  await listening;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    server,
    logged,
    reads,
    /** The server's ends of its connections, in order. */
    sockets,
    /** Waits until this many reads have begun. @returns the last of them. */
    begun: (count: number) =>
      eventually(`${count} reads`, () => (reads.length < count ? undefined : reads[count - 1])),
    /** Stops as the service does. @returns when every connection has ended. */
    stop() {
      const { promise, resolve: ended } = Promise.withResolvers<void>();
      server.close(() => ended());
      return promise;
    },
    openConnections() {
      const { promise, resolve: count, reject } = Promise.withResolvers<number>();
      server.getConnections((error, open) => (error === null ? count(open) : reject(error)));
      return promise;
    },
    async [Symbol.asyncDispose]() {
      const stopped = this.stop();
      server.closeAllConnections();
      await stopped;
    },
  };
}

type FastPath = Awaited<ReturnType<typeof startLane>>;

const readOf = (pair: string) =>
  `GET /v1/rates/${pair} HTTP/1.1\r\nHost: kurs\r\nAuthorization: ApiKey k\r\n\r\n`;
const other = (path: string) => `GET ${path} HTTP/1.1\r\nHost: kurs\r\n\r\n`;

/** Waits until the server has read what other connections sent before. */
async function serverHasRead(lane: FastPath): Promise<void> {
  using probe = await openWire(lane.url);
  probe.send(other("/probe"));
  assert.equal((await probe.answer()).text, "/probe");
}

async function assertNoneLeft(lane: FastPath): Promise<void> {
  await eventually("end of every connection", async () =>
    (await lane.openConnections()) === 0 ? true : undefined,
  );
}

test("requests that arrive during a read are served after it, in order, by node:http", async () => {
  await using lane = await startLane();
  using wire = await openWire(lane.url);
  wire.send(readOf("EUR/USD"));
  const first = await lane.begun(1);
  const paths = ["/1", "/v1/rates/EUR/GBP", "/3"];
  for (const path of paths) {
    wire.send(path === "/v1/rates/EUR/GBP" ? readOf("EUR/GBP") : other(path));
    await serverHasRead(lane);
  }
  assert.equal(wire.received(), "");

  first.answer();

  assert.equal((await wire.answer()).text, "EUR/USD");
  for (const path of paths) assert.equal((await wire.answer()).text, path);
  assert.equal(lane.reads.length, 1, "the fast path served a read after the hand-off");
  assert.deepEqual(lane.logged, [200]);
});

test("half a request that arrives during a read is served once it is complete", async () => {
  await using lane = await startLane();
  const text = other("/half");
  for (const cut of [1, 10, text.length - 1]) {
    using wire = await openWire(lane.url);
    wire.send(readOf("EUR/USD"));
    const read = await lane.begun(lane.reads.length + 1);
    wire.send(text.slice(0, cut));
    await serverHasRead(lane);
    read.answer();
    assert.equal((await wire.answer()).text, "EUR/USD");
    wire.send(text.slice(cut));
    assert.equal((await wire.answer()).text, "/half");
  }
});

test("32 MiB that arrive during a read are neither lost nor kept in memory", async () => {
  await using lane = await startLane();
  using wire = await openWire(lane.url);
  wire.send(readOf("EUR/USD"));
  const read = await lane.begun(1);
  const body = "a".repeat(32 << 20);
  wire.send(`POST /long HTTP/1.1\r\nHost: kurs\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  wire.send(other("/behind"));
  const [socket] = lane.sockets;
  assert.ok(socket !== undefined);
  for (let readBytes = -1; readBytes !== socket.bytesRead; ) {
    readBytes = socket.bytesRead;
    for (let probe = 0; probe < 10; probe += 1) await serverHasRead(lane);
  }
  assert.ok(socket.bytesRead < 1 << 20, `the server keeps ${socket.bytesRead} bytes`);

  read.answer();

  assert.equal((await wire.answer()).text, "EUR/USD");
  assert.equal((await wire.answer()).text, "/long");
  assert.equal((await wire.answer()).text, "/behind");
});

test("a client that half-closes during a read gets its response, and the connection closes", async () => {
  await using lane = await startLane();
  using wire = await openWire(lane.url, true);
  wire.socket.end(readOf("EUR/USD"));
  const read = await lane.begun(1);
  await serverHasRead(lane);
  read.answer();
  const { text, lines } = await wire.answer();
  assert.equal(text, "EUR/USD");
  assert.ok(lines.includes("connection: close"));
  await wire.untilEnd();
  await assertNoneLeft(lane);
});

test("clients that disconnect during a read leave no connection behind", async () => {
  await using lane = await startLane();
  for (const leave of ["destroy", "resetAndDestroy"] as const) {
    const wire = await openWire(lane.url);
    wire.send(readOf("EUR/USD"));
    const read = await lane.begun(lane.reads.length + 1);
    wire.socket[leave]();
    await serverHasRead(lane);
    read.answer();
    await serverHasRead(lane);
    await assertNoneLeft(lane);
  }
  assert.deepEqual(lane.logged, [200, 200]);
});

test("a shutdown closes idle connections at once and sends each read in flight its response", async () => {
  await using lane = await startLane();
  using silent = await openWire(lane.url);
  using idle = await openWire(lane.url);
  idle.send(readOf("EUR/USD"));
  (await lane.begun(1)).answer();
  await idle.answer();
  using overloadFailure = await openWire(lane.url);
  overloadFailure.send(readOf("EUR/GBP"));
  const read = await lane.begun(2);
  await serverHasRead(lane);

  const stopped = lane.stop();
  await Promise.all([silent.untilEnd(), idle.untilEnd()]);
  assert.equal(overloadFailure.isOver(), false);
  read.answer();

  const { text, lines } = await overloadFailure.answer();
  assert.equal(text, "EUR/GBP");
  assert.ok(lines.includes("connection: close"));
  assert.ok(!lines.some((line) => /keep-alive/i.test(line)));
  await overloadFailure.untilEnd();
  await stopped;
});

test("a shutdown does not wait for a client that stays connected after its last response", async () => {
  await using lane = await startLane();
  using wire = await openWire(lane.url, true);
  wire.send(readOf("EUR/USD"));
  const read = await lane.begun(1);
  const stopped = lane.stop();
  read.answer();
  assert.equal((await wire.answer()).text, "EUR/USD");

  await wire.untilEnd();
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.reject(new Error("the shutdown waits")), 60_000);
  await Promise.race([stopped, late.promise]).finally(() => clearTimeout(timer));
});

test("connections share one read buffer, and each keeps its own bytes", async () => {
  await using lane = await startLane();
  using one = await openWire(lane.url);
  using two = await openWire(lane.url);
  // Half a request stays the same, whatever arrives on another connection before its end.
  const [start, end] = [readOf("EUR/GBP").slice(0, 30), readOf("EUR/GBP").slice(30)];
  one.send(start);
  await serverHasRead(lane);
  two.send(readOf("EUR/USD"));
  const read = await lane.begun(1);
  one.send(end);

  assert.equal((await one.answer()).text, "/v1/rates/EUR/GBP");
  read.answer();
  assert.equal((await two.answer()).text, "EUR/USD");
  // A Node.js with other internals would work as before, but slower: this assertion would show it.
  assert.equal(lane.sockets[1]?.listenerCount("data"), 0);
});

test("a forced shutdown cuts off a read in flight", async () => {
  await using lane = await startLane();
  using wire = await openWire(lane.url);
  wire.send(readOf("EUR/USD"));
  const read = await lane.begun(1);
  const stopped = lane.stop();
  lane.server.closeAllConnections();
  await stopped;
  await wire.untilEnd();
  assert.equal(wire.received(), "");
  read.answer();
});

/** More than the kernel buffers for a client that does not read: the rest stays with the server. */
const LARGE_BODY = "a".repeat(12 << 20);

test("a client that does not read its response gets no other one until it does", async () => {
  await using lane = await startLane();
  using wire = await openWire(lane.url);
  wire.socket.pause();
  wire.send(readOf("EUR/USD"));
  (await lane.begun(1)).answer(LARGE_BODY);
  await serverHasRead(lane);
  wire.send(other("/behind"));
  await serverHasRead(lane);

  wire.socket.resume();

  assert.equal((await wire.answer()).text.length, LARGE_BODY.length);
  assert.equal((await wire.answer()).text, "/behind");
});

test("a client that half-closes before it reads its response is closed after it has read it", async () => {
  await using lane = await startLane();
  using wire = await openWire(lane.url, true);
  wire.socket.pause();
  wire.send(readOf("EUR/USD"));
  (await lane.begun(1)).answer(LARGE_BODY);
  await serverHasRead(lane);
  wire.socket.end();
  await serverHasRead(lane);

  wire.socket.resume();

  assert.equal((await wire.answer()).text.length, LARGE_BODY.length);
  await wire.untilEnd();
  await assertNoneLeft(lane);
});

test("a forced shutdown cuts off a client that does not read", async () => {
  await using lane = await startLane();
  using wire = await openWire(lane.url);
  wire.socket.pause();
  wire.send(readOf("EUR/USD"));
  (await lane.begun(1)).answer(LARGE_BODY);
  await serverHasRead(lane);
  const stopped = lane.stop();
  lane.server.closeAllConnections();
  await stopped;
});
