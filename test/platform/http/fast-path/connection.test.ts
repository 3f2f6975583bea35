import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { eventually } from "../../../support/mails.ts";
import { openWire, type Wire } from "../../../support/raw-connection.ts";
import { assertFastRead, type FastPath, other, readOf, startFastPath } from "./fast-path-server.ts";

// What may happen to a connection while the fast path or node:http serves one of its requests, and
// between them. The test decides when a request gets its response, and moves the time.

/** More than the kernel buffers for a client that does not read: the rest stays with the server. */
const LARGE_BODY = "a".repeat(12 << 20);

async function assertLarge(wire: Wire): Promise<void> {
  // Looking for the end in every part of it would take seconds.
  await wire.untilBytes(LARGE_BODY.length);
  assert.equal((await wire.answer()).text.length, LARGE_BODY.length);
}

const post = (path: string, body: string, length = body.length) =>
  `POST ${path} HTTP/1.1\r\nHost: kurs\r\nContent-Length: ${length}\r\n\r\n${body}`;

/** The clock by which connections are closed stands still until the test moves it. */
function holdTime(t: test.TestContext) {
  let nowMs = 1_000_000;
  t.mock.method(performance, "now", () => nowMs);
  t.mock.timers.enable({ apis: ["setInterval"] });
  return (ms: number) => {
    nowMs += ms;
    t.mock.timers.tick(1000);
  };
}

const servers = [
  ["the fast path", readOf("EUR/USD"), "EUR/USD"],
  ["node:http, after a read on the fast path,", other("/held"), "/held"],
] as const;

for (const [who, request, text] of servers) {
  const isFast = text !== "/held";

  /** Opens a connection on which this server may serve the next request. */
  const open = async (lane: FastPath, allowHalfOpen = false): Promise<Wire> => {
    const wire = await openWire(lane.url, allowHalfOpen);
    if (!isFast) await assertFastRead(lane, wire);
    return wire;
  };

  suite(`while ${who} serves a request`, () => {
    test("others that arrive, the last in parts, are served after it by node:http", async () => {
      await using lane = await startFastPath();
      using wire = await open(lane);
      const first = await lane.begin(wire, request);
      const reads = lane.fastReads();
      for (const next of [other("/1"), readOf("EUR/GBP"), other("/3").slice(0, 10)]) {
        wire.send(next);
        await lane.hasRead();
      }
      assert.equal(wire.received(), "");

      first.answer();

      for (const path of [text, "/1", "/v1/rates/EUR/GBP"]) {
        assert.equal((await wire.answer()).text, path);
      }
      wire.send(other("/3").slice(10));
      assert.equal((await wire.answer()).text, "/3");
      assert.equal(lane.fastReads(), reads);
      assert.deepEqual(lane.logged, [200]);
    });

    test("a client that half-closes gets all responses, and the connection closes", async () => {
      await using lane = await startFastPath();
      for (const behind of [[], ["/behind", "/last"]]) {
        using wire = await open(lane, true);
        const first = await lane.begin(wire, request);
        for (const path of behind) {
          wire.send(other(path));
          await lane.hasRead();
        }
        wire.socket.end();
        await lane.hasRead();
        first.answer();
        for (const path of [text, ...behind]) {
          const answer = await wire.answer();
          assert.equal(answer.text, path);
          const isLast = isFast && behind.length === 0;
          if (isLast) assert.equal(answer.headers.connection, "close");
        }
        await wire.untilEnd();
        await lane.assertNoneLeft();
      }
    });

    test("a client that disconnects, or a forced shutdown, leaves no connection behind", async () => {
      for (const leave of [
        (_lane: FastPath, { socket }: Wire) => socket.destroy(),
        (_lane: FastPath, { socket }: Wire) => socket.resetAndDestroy(),
        (lane: FastPath) => lane.server.closeAllConnections(),
      ]) {
        await using lane = await startFastPath();
        using wire = await open(lane);
        const held = await lane.begin(wire, request);
        leave(lane, wire);
        await lane.hasRead();
        held.answer();
        await lane.assertNoneLeft();
        assert.equal(wire.received(), "");
        assert.deepEqual(lane.logged, [200]);
      }
    });

    test("a shutdown waits for its response, and not for the client's end", async () => {
      await using lane = await startFastPath();
      using silent = await openWire(lane.url);
      using idle = await openWire(lane.url);
      await assertFastRead(lane, idle);
      using half = await openWire(lane.url);
      await assertFastRead(lane, half);
      half.send(other("/half").slice(0, 20));
      using wire = await open(lane, true);
      const held = await lane.begin(wire, request);
      await lane.hasRead();

      let hasStopped = false;
      const stopped = lane.stop().then(() => {
        hasStopped = true;
      });
      await Promise.all([silent, idle, half].map((each) => each.untilEnd()));
      assert.equal(wire.isOver(), false);
      held.answer();

      const answer = await wire.answer();
      assert.equal(answer.text, text);
      const { connection, "keep-alive": keepAlive } = answer.headers;
      if (isFast) assert.deepEqual([connection, keepAlive], ["close", undefined]);
      await wire.untilEnd();
      await eventually("the end of the stop", () => hasStopped || undefined);
      await stopped;
    });

    test("the server may take any time for its response", async (t) => {
      const pass = holdTime(t);
      await using lane = await startFastPath();
      using wire = await open(lane);
      const held = await lane.begin(wire, request);
      for (let count = 0; count < 2; count += 1) pass(3_600_000);
      const [socket] = lane.sockets;
      assert.ok(socket !== undefined);
      const { mock } = t.mock.method(socket, "setTimeout");
      socket.emit("timeout");
      assert.equal(mock.callCount(), 1, "the time is measured anew");
      held.answer();
      assert.equal((await wire.answer()).text, text);
      await lane.hasRead();
      // Of node:http's request only the response ends the idle time before it.
      if (!isFast) pass(0);
      await assertFastRead(lane, wire);
      socket.emit("timeout");
      await wire.untilEnd();
      await lane.assertNoneLeft();
    });

    test("a client that does not read its response gets no other one until it does", async (t) => {
      const pass = holdTime(t);
      await using lane = await startFastPath();
      for (const behind of [other("/behind"), readOf("EUR/GBP")]) {
        using wire = await open(lane);
        wire.socket.pause();
        (await lane.begin(wire, request)).answer(LARGE_BODY);
        await lane.hasRead();
        wire.send(behind);
        await lane.hasRead();
        pass(30_000);
        const reads = lane.fastReads();

        wire.socket.resume();

        await assertLarge(wire);
        assert.equal((await wire.answer()).text, behind.split(" ")[1]);
        assert.equal(lane.fastReads(), reads, "the fast path served a read behind the response");
      }
    });
  });
}

test("node:http knows at once that a client has reset the connection of its request", async () => {
  await using lane = await startFastPath();
  using wire = await openWire(lane.url);
  const { response } = await lane.begin(wire, other("/held"));
  wire.socket.resetAndDestroy();
  await eventually("the end of the request", () => response?.destroyed || undefined);
});

suite("a client that does not read its response", () => {
  /** A connection whose client does not read the response that the server has begun to send. */
  async function openUnread(lane: FastPath): Promise<Wire> {
    const wire = await openWire(lane.url, true);
    wire.socket.pause();
    (await lane.begin(wire, readOf("EUR/USD"))).answer(LARGE_BODY);
    await lane.hasRead();
    return wire;
  }

  test("and half-closes is closed after it has read it", async () => {
    await using lane = await startFastPath();
    using wire = await openUnread(lane);
    wire.socket.end();
    await lane.hasRead();
    wire.socket.resume();
    await assertLarge(wire);
    await wire.untilEnd();
    await lane.assertNoneLeft();
  });

  test("is cut off by a forced shutdown, by the limit of silence, and after 30 s", async (t) => {
    const pass = holdTime(t);
    for (const cutOff of [
      (lane: FastPath) => lane.server.closeAllConnections(),
      (lane: FastPath) => lane.sockets[0]?.emit("timeout"),
      () => pass(30_001),
    ]) {
      await using lane = await startFastPath();
      using _wire = await openUnread(lane);
      const { sockets } = lane;
      assert.equal(sockets[0]?.destroyed, false);
      cutOff(lane);
      assert.equal(sockets[0]?.destroyed, true);
    }
  });
});

test("a response beyond ASCII has its length in bytes", async () => {
  await using lane = await startFastPath();
  using wire = await openWire(lane.url);
  (await lane.begin(wire, readOf("EUR/USD"))).answer("Zürich, 1 €");
  assert.equal((await wire.answer()).text, "Zürich, 1 €");
  await assertFastRead(lane, wire);
});

test("a response that cannot be logged ends its connection, and nothing else", async () => {
  await using lane = await startFastPath();
  using wire = await openWire(lane.url);
  lane.logged.push = () => assert.fail("the log is broken");
  (await lane.begin(wire, readOf("EUR/USD"))).answer();
  await wire.untilEnd();
  await lane.assertNoneLeft();
});

for (const [what, requests, texts] of [
  ["a read", readOf("EUR/USD"), ["EUR/USD"]],
  ["16 requests of node:http", other("/held").repeat(16), new Array(16).fill("/held")],
] as const) {
  test(`32 MiB that arrive behind ${what} are neither lost nor kept in memory`, async () => {
    await using lane = await startFastPath();
    using wire = await openWire(lane.url);
    wire.send(requests);
    await eventually("the requests", () => lane.held.length === texts.length || undefined);
    wire.send(post("/long", "a".repeat(32 << 20)) + other("/behind"));
    const [socket] = lane.sockets;
    assert.ok(socket !== undefined);
    for (let readBytes = -1; readBytes !== socket.bytesRead; ) {
      readBytes = socket.bytesRead;
      for (let probe = 0; probe < 10; probe += 1) await lane.hasRead();
    }
    assert.ok(socket.bytesRead < 1 << 20, `the server keeps ${socket.bytesRead} bytes`);

    for (const held of lane.held) held.answer();

    for (const text of [...texts, "/long", "/behind"]) {
      assert.equal((await wire.answer()).text, text);
    }
  });
}

test("connections share one read buffer, and each keeps its own bytes", async () => {
  await using lane = await startFastPath();
  using one = await openWire(lane.url);
  using two = await openWire(lane.url);
  // What waits behind 16 requests in flight stays the same, whatever arrives on another connection.
  one.send(other("/held").repeat(16) + other("/kept").repeat(40));
  await eventually("the requests", () => lane.held.length === 16 || undefined);
  await lane.begin(two, readOf("EUR/USD").replace("Host", `Via: ${"a".repeat(4000)}\r\nHost`));

  for (const held of lane.held) held.answer();

  for (let count = 0; count < 56; count += 1) {
    assert.equal((await one.answer()).text, count < 16 ? "/held" : "/kept");
  }
  assert.equal((await two.answer()).text, "EUR/USD");
  // A Node.js with other internals would work as before, but slower: this assertion would show it.
  assert.equal(lane.sockets[1]?.listenerCount("data"), 0);
});

suite("a connection without a request, or with nothing but empty lines, ends in time", () => {
  // Node.js's own timers are real: they never end in a test.
  const timeouts = { headersTimeout: 3_600_000, requestTimeout: 7_200_000 };
  const options = { ...timeouts, keepAliveTimeout: 10_800_000 };
  // A client may send a request while the advertised time ends.
  const kept = options.keepAliveTimeout + 1000;
  const echo = async (wire: Wire, ...paths: string[]) => {
    wire.send(paths.map(other).join(""));
    for (const path of paths) assert.equal((await wire.answer()).text, path);
  };
  const beginnings = [
    ["before its first request", options.headersTimeout, async () => undefined],
    ["after a read", kept, assertFastRead],
    ["after a request of node:http", kept, (_lane: FastPath, wire: Wire) => echo(wire, "/one")],
    [
      "after requests at once",
      kept + options.requestTimeout,
      (_lane: FastPath, wire: Wire) => echo(wire, "/one", "/two"),
    ],
  ] as const;

  for (const [when, limitMs, begin] of beginnings) {
    test(when, async (t) => {
      const pass = holdTime(t);
      for (const sent of ["", "\r\n", "\n", "\r"]) {
        await using lane = await startFastPath(options);
        using wire = await openWire(lane.url);
        await lane.hasRead();
        // The time before the first request is no part of the time behind it.
        if (limitMs >= kept) pass(options.headersTimeout / 2);
        await begin(lane, wire);
        await lane.hasRead();
        const [socket] = lane.sockets;
        for (let part = 0; part < 4; part += 1) {
          pass(limitMs / 4);
          assert.equal(socket?.destroyed, false, JSON.stringify(sent));
          wire.send(sent);
          await lane.hasRead();
        }
        pass(1);
        assert.equal(socket?.destroyed, true, JSON.stringify(sent));
        await wire.untilEnd();
        assert.equal(wire.received(), "");
      }
    });
  }

  test("empty lines between requests change nothing, and reads stay on the fast path", async () => {
    await using lane = await startFastPath();
    using wire = await openWire(lane.url);
    for (const lines of ["\r\n", "\n\r", "\r\n\r\n"]) {
      wire.send(lines);
      await lane.hasRead();
      await assertFastRead(lane, wire);
      await echo(wire, "/one");
    }
  });
});

suite("after a read on the fast path", () => {
  test("no request is served behind a response that closes the connection", async () => {
    await using lane = await startFastPath();
    using wire = await openWire(lane.url);
    await assertFastRead(lane, wire);
    const held = await lane.begin(wire, other("/held"));
    held.response?.setHeader("connection", "close");
    held.answer();
    wire.send(readOf("EUR/GBP"));

    assert.equal((await wire.answer()).text, "/held");
    await wire.untilEnd();
    assert.equal(wire.received(), "");
    await lane.assertNoneLeft();
    assert.equal(lane.fastReads(), 1);
  });

  test("a read behind the head of a chunked request is no chunk of its body, and not served", async () => {
    await using lane = await startFastPath();
    using wire = await openWire(lane.url);
    wire.send("POST /early HTTP/1.1\r\nHost: kurs\r\nTransfer-Encoding: chunked\r\n\r\n");
    assert.equal((await wire.answer()).text, "/early");
    wire.send(readOf("EUR/GBP"));
    assert.equal((await wire.answer()).status, 400);
    await wire.untilEnd();
    assert.equal(lane.fastReads(), 0);
  });

  test("a body's end, a request and the client's end in one packet: both are served", async () => {
    await using lane = await startFastPath();
    using wire = await openWire(lane.url, true);
    await assertFastRead(lane, wire);
    const held = await lane.begin(wire, post("/held", "ab", 4));
    wire.socket.end(`cd${other("/behind")}`);
    await lane.hasRead();
    held.answer();

    for (const text of ["/held", "/behind"]) assert.equal((await wire.answer()).text, text);
    await wire.untilEnd();
    await lane.assertNoneLeft();
  });

  test("a request is served wherever it is cut, and the next read is on the fast path", async () => {
    for (const request of [readOf("EUR/GBP"), post("/body", "abcd")]) {
      await using lane = await startFastPath();
      using wire = await openWire(lane.url);
      await assertFastRead(lane, wire);
      for (let cut = 1; cut < request.length; cut += 1) {
        wire.send(request.slice(0, cut));
        await lane.hasRead();
        wire.send(request.slice(cut));
        await lane.hasRead();
        assert.equal((await wire.answer()).text, request.split(" ")[1], `cut at ${cut}`);
        await assertFastRead(lane, wire);
      }
    }
  });

  test("the search for a head's end stops at 16 KiB", async (t) => {
    const { mock } = t.mock.method(Buffer, "concat");
    await using lane = await startFastPath({ maxHeaderSize: 1 << 20 });
    using wire = await openWire(lane.url);
    await assertFastRead(lane, wire);
    wire.send("GET /long HTTP/1.1\r\nHost: kurs\r\nVia: 1.1 proxy\r\nX: ");
    for (let count = 0; count < 200; count += 1) {
      wire.send("a".repeat(1024));
      await lane.hasRead();
    }
    wire.send("\r\n\r\n");

    assert.equal((await wire.answer()).text, "/long");
    const lengths = mock.calls.map(({ result }) => result?.length ?? 0);
    assert.ok(Math.max(...lengths) < 18 * 1024, `${Math.max(...lengths)} bytes`);
    // node:http serves the connection from then on.
    wire.send(readOf("EUR/GBP"));
    assert.equal((await wire.answer()).text, "/v1/rates/EUR/GBP");
  });

  test("half a request whose rest never comes is rejected, and the connection closes", async () => {
    const options = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 };
    for (const part of ["GET /half HTTP/1.1\r\nHos", post("/held", "ab", 4)]) {
      await using lane = await startFastPath(options);
      using wire = await openWire(lane.url, true);
      await assertFastRead(lane, wire);
      wire.send(part);
      assert.equal((await wire.answer()).status, 408);
      await wire.untilEnd();
      await lane.assertNoneLeft();
    }
  });
});
