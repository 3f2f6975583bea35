import assert from "node:assert/strict";
import type { RequestListener, ServerResponse } from "node:http";
import { suite, test } from "node:test";
import { openWire, type Wire } from "../../support/raw-connection.ts";
import {
  assertNoneLeft,
  LARGE_BODY,
  other,
  readOf,
  serverHasRead,
  startFastPath,
} from "./fast-path-server.ts";

// A connection of the fast path while node:http serves one of its requests: what may happen
// meanwhile. The test decides when node:http responds.

/** Serves what is no plain read, and notes the paths; the responses are the test's. */
function collector() {
  const responses: ServerResponse[] = [];
  const paths: (string | undefined)[] = [];
  const serve: RequestListener = (request, response) => {
    if (request.url === "/probe") return void response.setHeader("content-length", 6).end("/probe");
    paths.push(request.url);
    responses.push(response);
  };
  return { responses, paths, serve };
}

function respond(response: ServerResponse | undefined, body = "other"): void {
  response?.setHeader("content-length", body.length).end(body);
}

type Running = Awaited<ReturnType<typeof startFastPath>>;

/** Sends a plain read, which the fast path serves. */
async function assertFastRead(running: Running, wire: Wire): Promise<void> {
  const count = running.reads.length + 1;
  wire.send(readOf("EUR/USD"));
  (await running.begun(count)).answer();
  assert.equal((await wire.answer()).text, "EUR/USD");
}

/** Whether the fast path closes connections, on a clock that the test moves. */
function controlTime(t: test.TestContext) {
  let addedMs = 0;
  const now = performance.now.bind(performance);
  t.mock.method(performance, "now", () => now() + addedMs);
  t.mock.timers.enable({ apis: ["setInterval"] });
  return (ms: number) => {
    addedMs += ms;
    t.mock.timers.tick(1000);
  };
}

test("a read that takes longer than a client may take for its response is answered", async (t) => {
  const pass = controlTime(t);
  await using running = await startFastPath();
  using wire = await openWire(running.url);
  wire.send(readOf("EUR/USD"));
  const read = await running.begun(1);

  for (let count = 0; count < 2; count += 1) pass(60_000);
  read.answer();

  assert.equal((await wire.answer()).text, "EUR/USD");
});

suite("a connection without a request, or with nothing but empty lines, ends in time", () => {
  // Node.js's own timers are real: they never end in a test.
  const timeouts = { headersTimeout: 3_600_000, requestTimeout: 7_200_000 };
  const options = { ...timeouts, keepAliveTimeout: 10_800_000 };
  const { headersTimeout, requestTimeout, keepAliveTimeout } = options;
  const pastKeepAlive = keepAliveTimeout + 1000;
  const beginnings = [
    ["before its first request", headersTimeout, async () => undefined],
    ["after a read", pastKeepAlive, assertFastRead],
    [
      "after a request of node:http",
      pastKeepAlive,
      async (_running: Running, wire: Wire) => {
        wire.send(other("/one"));
        await wire.answer();
      },
    ],
    [
      "after requests at once",
      pastKeepAlive + requestTimeout,
      async (_running: Running, wire: Wire) => {
        wire.send(other("/one") + other("/two"));
        for (let count = 0; count < 2; count += 1) await wire.answer();
      },
    ],
  ] as const;

  for (const [when, limitMs, begin] of beginnings) {
    test(when, async (t) => {
      const pass = controlTime(t);
      for (const sent of ["", "\r\n", "\n", "\r"]) {
        await using running = await startFastPath(undefined, options);
        using wire = await openWire(running.url);
        await begin(running, wire);
        await serverHasRead(running);
        for (let part = 0; part < 4; part += 1) {
          assert.equal(wire.isOver(), false, JSON.stringify(sent));
          pass(limitMs / 4);
          wire.send(sent);
          await serverHasRead(running);
        }
        pass(1000);
        await wire.untilEnd();
        assert.equal(wire.received(), "");
      }
    });
  }

  test("empty lines between requests change nothing, and reads stay on the fast path", async () => {
    await using running = await startFastPath();
    using wire = await openWire(running.url);
    for (const lines of ["\r\n", "\n\r", "\r\n\r\n"]) {
      wire.send(lines);
      await serverHasRead(running);
      await assertFastRead(running, wire);
      wire.send(other("/one"));
      assert.equal((await wire.answer()).text, "/one");
    }
  });
});

suite("while node:http serves a request", () => {
  test("a client that reads a long response slowly gets all of it", async (t) => {
    const pass = controlTime(t);
    const { responses, serve } = collector();
    await using running = await startFastPath(serve);
    using wire = await openWire(running.url);
    await assertFastRead(running, wire);
    wire.socket.pause();
    wire.send(other("/long"));
    await serverHasRead(running);
    respond(responses[0], LARGE_BODY);
    await serverHasRead(running);

    pass(31_000);
    wire.socket.resume();

    assert.equal((await wire.answer()).text.length, LARGE_BODY.length);
    await assertFastRead(running, wire);
  });

  test("the time of a long response is no idle time of its connection", async (t) => {
    const pass = controlTime(t);
    const { responses, serve } = collector();
    await using running = await startFastPath(serve);
    using wire = await openWire(running.url);
    await assertFastRead(running, wire);
    wire.send(other("/long"));
    await serverHasRead(running);
    pass(running.server.keepAliveTimeout + 2000);
    respond(responses[0]);
    assert.equal((await wire.answer()).text, "other");
    await serverHasRead(running);

    pass(0);

    await assertFastRead(running, wire);
  });

  test("no request is served behind a response that closes the connection", async () => {
    const { responses, paths, serve } = collector();
    await using running = await startFastPath(serve);
    using wire = await openWire(running.url);
    await assertFastRead(running, wire);
    wire.send(other("/last"));
    await serverHasRead(running);
    responses[0]?.setHeader("connection", "close");
    respond(responses[0]);
    wire.send(readOf("EUR/GBP"));

    assert.equal((await wire.answer()).text, "other");
    await wire.untilEnd();
    assert.equal(wire.received(), "");
    await assertNoneLeft(running);
    assert.deepEqual(paths, ["/last"]);
    assert.equal(running.reads.length, 1);
  });

  test("a body's end, a request and the client's end in one packet: both are served", async () => {
    const { responses, serve } = collector();
    await using running = await startFastPath(serve);
    using wire = await openWire(running.url, true);
    await assertFastRead(running, wire);
    wire.send("POST /body HTTP/1.1\r\nHost: kurs\r\nContent-Length: 4\r\n\r\nab");
    await serverHasRead(running);
    wire.socket.end(`cd${other("/behind")}`);
    await serverHasRead(running);
    for (const response of responses) respond(response);
    await serverHasRead(running);

    assert.equal((await wire.answer()).text, "other");
    assert.equal((await wire.answer()).text, "other");
    await wire.untilEnd();
    await assertNoneLeft(running);
  });

  test("a shutdown waits for its response and closes the connection", async () => {
    const { responses, serve } = collector();
    await using running = await startFastPath(serve);
    using wire = await openWire(running.url, true);
    await assertFastRead(running, wire);
    wire.send(other("/last"));
    await serverHasRead(running);

    const stopped = running.stop();
    assert.equal(wire.isOver(), false);
    respond(responses[0]);

    assert.equal((await wire.answer()).text, "other");
    await wire.untilEnd();
    await stopped;
  });

  test("a forced shutdown cuts it off", async () => {
    await using running = await startFastPath(collector().serve);
    using wire = await openWire(running.url);
    await assertFastRead(running, wire);
    wire.send(other("/last"));
    await serverHasRead(running);
    const stopped = running.stop();
    running.server.closeAllConnections();
    await stopped;
    await wire.untilEnd();
    assert.equal(wire.received(), "");
  });

  test("clients that disconnect leave no connection behind", async () => {
    const { responses, serve } = collector();
    await using running = await startFastPath(serve);
    for (const leave of ["destroy", "resetAndDestroy"] as const) {
      const wire = await openWire(running.url);
      await assertFastRead(running, wire);
      wire.send(other("/left"));
      await serverHasRead(running);
      wire.socket[leave]();
      await serverHasRead(running);
      // A client that has only ended its side may still read the response.
      respond(responses.at(-1));
      await assertNoneLeft(running);
    }
  });
});

suite("a request in parts, after a read on the fast path", () => {
  test("a shutdown closes the connection of half a request at once", async () => {
    await using running = await startFastPath();
    using wire = await openWire(running.url);
    await assertFastRead(running, wire);
    wire.send(other("/half").slice(0, 20));
    await serverHasRead(running);
    await running.stop();
    await wire.untilEnd();
  });

  for (const [what, request] of [
    ["a read", readOf("EUR/GBP")],
    ["a body", "POST /body HTTP/1.1\r\nHost: kurs\r\nContent-Length: 4\r\n\r\nabcd"],
  ] as const) {
    test(`${what} is served wherever it is cut, and the next read is on the fast path`, async () => {
      await using running = await startFastPath();
      using wire = await openWire(running.url);
      await assertFastRead(running, wire);
      for (let cut = 1; cut < request.length; cut += 1) {
        wire.send(request.slice(0, cut));
        await serverHasRead(running);
        wire.send(request.slice(cut));
        await serverHasRead(running);
        assert.match((await wire.answer()).text, /^\/(?:body|v1\/rates\/EUR\/GBP)$/);
        await assertFastRead(running, wire);
      }
    });
  }

  test("the search for a head's end stops at 16 KiB", async (t) => {
    const { mock } = t.mock.method(Buffer, "concat");
    await using running = await startFastPath(undefined, { maxHeaderSize: 1 << 20 });
    using wire = await openWire(running.url);
    await assertFastRead(running, wire);
    wire.send("GET /long HTTP/1.1\r\nHost: kurs\r\nVia: 1.1 proxy\r\nX: ");
    for (let count = 0; count < 200; count += 1) {
      wire.send("a".repeat(1024));
      await serverHasRead(running);
    }
    wire.send("\r\n\r\n");

    assert.equal((await wire.answer()).text, "/long");
    const lengths = mock.calls.map(({ result }) => result?.length ?? 0);
    assert.ok(Math.max(...lengths) < 18 * 1024, `${Math.max(...lengths)} bytes`);
    // node:http serves the connection from then on.
    wire.send(readOf("EUR/GBP"));
    assert.equal((await wire.answer()).text, "/v1/rates/EUR/GBP");
  });

  test("one whose rest never comes is rejected in time, and the connection closes", async () => {
    const options = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 };
    for (const part of [
      "GET /half HTTP/1.1\r\nHos",
      "POST /half HTTP/1.1\r\nHost: kurs\r\nContent-Length: 4\r\n\r\nab",
    ]) {
      const { serve } = collector();
      await using running = await startFastPath(serve, options);
      using wire = await openWire(running.url, true);
      await assertFastRead(running, wire);
      wire.send(part);
      assert.equal((await wire.answer()).status, 408);
      await wire.untilEnd();
      await assertNoneLeft(running);
    }
  });
});
