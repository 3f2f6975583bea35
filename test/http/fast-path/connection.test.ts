import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { openWire, type Wire } from "../../support/raw-connection.ts";
import {
  assertNoneLeft,
  type FastPath,
  LARGE_BODY,
  other,
  readOf,
  serverHasRead,
  startFastPath as startLane,
} from "./fast-path-server.ts";

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

test("a client that half-closes behind further requests gets all responses, and the connection closes", async () => {
  await using lane = await startLane();
  using wire = await openWire(lane.url, true);
  wire.send(readOf("EUR/USD"));
  const read = await lane.begun(1);
  wire.send(other("/behind"));
  await serverHasRead(lane);
  wire.socket.end(other("/last"));
  await serverHasRead(lane);

  read.answer();

  for (const text of ["EUR/USD", "/behind", "/last"]) {
    assert.equal((await wire.answer()).text, text);
  }
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

/** A connection whose client does not read the response that the server has begun to send. */
async function openUnread(lane: FastPath, allowHalfOpen = false): Promise<Wire> {
  const wire = await openWire(lane.url, allowHalfOpen);
  wire.socket.pause();
  wire.send(readOf("EUR/USD"));
  (await lane.begun(1)).answer(LARGE_BODY);
  await serverHasRead(lane);
  return wire;
}

test("a client that does not read its response gets no other one until it does", async () => {
  await using lane = await startLane();
  using wire = await openUnread(lane);
  wire.send(other("/behind"));
  await serverHasRead(lane);

  wire.socket.resume();

  assert.equal((await wire.answer()).text.length, LARGE_BODY.length);
  assert.equal((await wire.answer()).text, "/behind");
});

test("a client that does not read its response has no further read served until it does", async () => {
  await using lane = await startLane();
  using wire = await openUnread(lane);
  wire.send(readOf("EUR/GBP"));
  await serverHasRead(lane);

  assert.equal(lane.reads.length, 1, "the fast path served a read behind an unread response");
  wire.socket.resume();
  assert.equal((await wire.answer()).text.length, LARGE_BODY.length);
  assert.equal((await wire.answer()).text, "/v1/rates/EUR/GBP");
});

test("a client that half-closes before it reads its response is closed after it has read it", async () => {
  await using lane = await startLane();
  using wire = await openUnread(lane, true);
  wire.socket.end();
  await serverHasRead(lane);

  wire.socket.resume();

  assert.equal((await wire.answer()).text.length, LARGE_BODY.length);
  await wire.untilEnd();
  await assertNoneLeft(lane);
});

test("a forced shutdown cuts off a client that does not read", async () => {
  await using lane = await startLane();
  using _wire = await openUnread(lane);
  const stopped = lane.stop();
  lane.server.closeAllConnections();
  await stopped;
});

test("the limit of silence closes no connection that waits for the server, and every other", async () => {
  const held = Promise.withResolvers<ServerResponse>();
  await using lane = await startLane((_request, response) => held.resolve(response));
  lane.server.timeout = 50;
  using wire = await openWire(lane.url);
  wire.send(other("/held"));
  const response = await held.promise;
  const [socket] = lane.sockets;
  assert.ok(socket !== undefined);
  // The second one shows that the time is measured anew.
  for (let count = 0; count < 2; count += 1) await once(socket, "timeout");
  response.setHeader("content-length", 4).end("late");
  assert.equal((await wire.answer()).text, "late");

  wire.send(readOf("EUR/USD"));
  const read = await lane.begun(1);
  socket.emit("timeout");
  read?.answer();
  assert.equal((await wire.answer()).text, "EUR/USD");

  socket.emit("timeout");
  await wire.untilEnd();
  await assertNoneLeft(lane);
});

test("the limit of silence closes a connection whose client does not read", async () => {
  await using lane = await startLane();
  using _wire = await openUnread(lane);

  lane.sockets[0]?.emit("timeout");

  await assertNoneLeft(lane);
});
