import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Server, serve, temporaryDirectory } from "../support/process.ts";
import { openWire, type Wire } from "../support/raw-connection.ts";

// Shutdowns with connections that have sent only plain reads.

async function startServer() {
  await using starting = new AsyncDisposableStack();
  const { path: dataDirectory } = starting.use(await temporaryDirectory());
  const server = starting.use(await serve({ dataDirectory }));
  const { apiKey } = await server.newCustomer("ada@example.org");
  const start = "GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\n";
  const read = `${start}Authorization: ApiKey ${apiKey}\r\n\r\n`;
  const started = starting.move();
  return { server, dataDirectory, read, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function stop(server: Server): Promise<void> {
  const { exitCode, signal, stderr } = await server.stop();
  assert.deepEqual([exitCode, signal], [0, null]);
  assert.doesNotMatch(stderr, / {4}at /);
}

/** A log-in without its body yet. */
const BEGUN = [
  "POST /v1/auth/login HTTP/1.1",
  "Host: kurs",
  "Content-Type: application/json",
  "Content-Length: 2",
  "Expect: 100-continue",
].join("\r\n");

async function openWires(url: string, count: number, scope: DisposableStack): Promise<Wire[]> {
  const wires = await Promise.all(Array.from({ length: count }, () => openWire(url, true)));
  for (const wire of wires) scope.use(wire);
  return wires;
}

suite("a shutdown with connections that read", { concurrency: 2 }, () => {
  test("SIGTERM closes 200 idle connections while another has a request in flight", async () => {
    await using started = await startServer();
    using scope = new DisposableStack();
    const wires = await openWires(started.server.url, 200, scope);
    for (const wire of wires) wire.send(started.read);
    for (const wire of wires) assert.equal((await wire.answer()).status, 200);

    using busy = await openWire(started.server.url);
    busy.send(`${BEGUN}\r\n\r\n`);
    assert.equal((await busy.answer()).status, 100);

    const stopped = stop(started.server);

    await Promise.all(wires.map((wire) => wire.untilEnd()));
    for (const wire of wires) assert.equal(wire.received(), "");
    assert.equal(busy.isOver(), false);
    busy.send("{}");
    assert.equal((await busy.answer()).status, 400);
    await stopped;
  });

  test("SIGTERM during reads: the charged units equal the successful responses", async () => {
    await using started = await startServer();
    using scope = new DisposableStack();
    const wires = await openWires(started.server.url, 20, scope);
    let answered = 0;
    const readOn = async (wire: Wire) => {
      for (;;) {
        wire.send(started.read);
        const answer = await wire.answer().catch(() => undefined);
        if (answer === undefined) return;
        assert.equal(answer.status, 200);
        answered += 1;
      }
    };
    const readers = wires.map(readOn);
    for (const wire of wires) await wire.untilAnswer();

    await stop(started.server);

    await Promise.all(readers);
    await using again = await serve({ dataDirectory: started.dataDirectory });
    const used = await again.usedUnits(await again.logIn("ada@example.org"));
    assert.ok(answered > wires.length, String(answered));
    assert.equal(used, answered);
  });
});
