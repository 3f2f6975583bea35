import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as after } from "node:timers/promises";
import { eventually } from "../../test/support/mails.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";
import { openWire, plainRead } from "../../test/support/raw-connection.ts";
import { connectionsOf, residentMib } from "../../test/support/resources.ts";

/** More responses than the system buffers for one connection: after that, nothing is sent on it. */
const READS = 15_000;

/**
 * The timeout of 40 s passes twice: Node.js checks a connection twice while a response is unsent. A
 * busy machine may take long until it has filled the system's buffers, when the first begins.
 */
const PATIENCE_MS = 300_000;

test("a client that never reads its responses costs little memory and is cut off", async () => {
  await using directory = await temporaryDirectory();
  const env = { PLAN_FREE_UNITS: "1000000" };
  await using server = await serve({ dataDirectory: directory.path, env });
  const { apiKey } = await server.newCustomer("ada@example.org");
  const connections = () => connectionsOf(Number(new URL(server.url).port));
  using wire = await openWire(server.url);
  wire.socket.pause();
  await eventually("the end of all others", () => connections() === 1 || undefined);

  wire.send(plainRead(apiKey).repeat(READS));
  const { pid } = server.program;
  const [sinceMs, before] = [performance.now(), residentMib(pid)];
  while (connections() > 0 && performance.now() - sinceMs < PATIENCE_MS) await after(500);

  assert.equal(connections(), 0, "the client is still connected");
  const grownMib = residentMib(pid) - before;
  assert.ok(grownMib < 250, `the server grew by ${grownMib} MiB`);
  assert.equal((await server.readRate("EUR/USD", apiKey)).status, 200);
});

test("responses with the API's document that nobody reads share its bytes", async () => {
  await using directory = await temporaryDirectory();
  await using server = await serve({ dataDirectory: directory.path });
  const { pid } = server.program;
  const { text: document } = await server.get("/openapi.json");
  assert.ok(document.length > 20_000);
  const before = residentMib(pid);

  using wires = new DisposableStack();
  for (let count = 0; count < 60; count += 1) {
    const wire = wires.use(await openWire(server.url));
    wire.socket.pause();
    wire.send("GET /openapi.json HTTP/1.1\r\nHost: kurs\r\n\r\n".repeat(200));
    // Its response comes after those to the requests above that the server admits.
    if (count % 3 === 2) assert.equal((await server.get("/openapi.json")).text, document);
  }
  const grownMib = residentMib(pid) - before;

  assert.ok(grownMib < 120, `the server grew by ${grownMib} MiB`);
});
