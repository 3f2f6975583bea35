import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { test } from "node:test";
import { pino } from "pino";
import { createConnectionLimit } from "../../../../src/platform/http/overload/connection-limit.ts";
import { assertFailure } from "../../../support/assertions.ts";
import { clientOf } from "../../../support/client.ts";
import { eventually } from "../../../support/mails.ts";
import { openWire, plainRead } from "../../../support/raw-connection.ts";
import { startService } from "../../../support/service.ts";

test("connections over the limit get 503 and are closed; closed connections make room again", async () => {
  await using service = await startService({ config: { connectionsMax: 20 } });
  const { get } = clientOf(service.url);
  const { session, apiKey } = await service.newCustomer();
  using scope = new DisposableStack();
  const idle = [];
  for (let count = 0; count < 20; count += 1) idle.push(scope.use(await openWire(service.url)));
  const [first] = idle;
  // Its response shows that the server has accepted all of them.
  assert.equal((await idle[19]?.readRate("EUR/USD", apiKey))?.status, 200);

  using rejected = await openWire(service.url);
  rejected.send(plainRead(apiKey));
  const answer = await rejected.answer();
  await rejected.untilEnd();

  assertFailure(answer, 503, "temporarily_unavailable", /Too many connections/);
  const { "retry-after": retryAfter, connection, "units-charged": units } = answer.headers;
  assert.deepEqual([retryAfter, connection, units], ["1", "close", "0"]);
  const more = [];
  for (let count = 0; count < 300; count += 1) more.push(scope.use(await openWire(service.url)));
  // A connection that is still in the system's queue would take the next free place.
  await Promise.all(more.map((wire) => wire.untilEnd()));
  assert.equal((await first?.readRate("EUR/USD", apiKey))?.status, 200, "an open one stays open");
  for (const wire of idle.slice(1, 10)) wire.socket.destroy();
  await eventually("room", async () => {
    // Whatever the request was: the document says nothing of this response.
    const { status } = await get("/healthz").catch(() => ({ status: 0 }));
    return status === 200 || undefined;
  });
  assert.equal(await service.usedUnits(session), 2);
});

test("one log line counts all rejections of ten seconds", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const server = new EventEmitter() as Server;
  const accept = createConnectionLimit(server, 1, () => undefined, log);
  const connect = () => accept(new EventEmitter() as Socket);
  const rejected = () => lines.map((line) => JSON.parse(line).rejected);

  assert.deepEqual([connect(), connect(), connect()], [true, false, false]);
  server.emit("drop");
  assert.deepEqual(rejected(), [1]);
  t.mock.timers.tick(9999);
  assert.deepEqual(rejected(), [1]);
  t.mock.timers.tick(1);
  assert.deepEqual(rejected(), [1, 2]);
  t.mock.timers.tick(10_000);
  assert.deepEqual(rejected(), [1, 2]);
  connect();
  assert.deepEqual(rejected(), [1, 2, 1]);
});
