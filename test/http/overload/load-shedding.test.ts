import assert from "node:assert/strict";
import { test } from "node:test";
import fastify from "fastify";
import type { App } from "../../../src/http/fastify.ts";
import { commonHeaders } from "../../../src/http/headers.ts";
import { addLoadShedding } from "../../../src/http/overload/load-shedding.ts";
import { createReplyWriter } from "../../../src/http/response/reply.ts";
import { trackExchanges } from "../../../src/http/server/exchanges.ts";
import { eventually } from "../../support/mails.ts";
import { openWire } from "../../support/raw-connection.ts";

/** A real server with a route that responds when the test says so. */
async function startHolding(admit = () => true) {
  const app = fastify({ forceCloseConnections: true }) as unknown as App;
  const exchanges = trackExchanges(app.server, () => false);
  const replyWriter = createReplyWriter(commonHeaders, () => undefined, exchanges);
  replyWriter.addCommonHeaders(app);
  addLoadShedding(app, {
    admit,
    paceRejection: (refuse) => refuse(),
    sendFailure: replyWriter.sendFailure,
    exchanges,
  });
  let held = 0;
  let released = Promise.withResolvers<string>();
  app.get("/held", () => {
    held += 1;
    return released.promise;
  });
  app.get("/healthz", { config: { isNeverShed: true } }, () => "healthy");
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    url,
    untilHeld: (count: number) =>
      eventually(`${count} held requests`, () => (held === count ? true : undefined)),
    release() {
      released.resolve("released");
      released = Promise.withResolvers();
      held = 0;
    },
    [Symbol.asyncDispose]: () => app.close(),
  };
}

const REQUEST = "GET /held HTTP/1.1\r\nHost: kurs\r\n\r\n";

test("one connection has at most 200 requests in flight, and each connection its own limit", async () => {
  await using server = await startHolding();
  using wire = await openWire(server.url);
  using other = await openWire(server.url);
  const statuses = async (count: number) => {
    const received: number[] = [];
    while (received.length < count) received.push((await wire.answer()).status);
    return received;
  };
  const all = (count: number) => Array.from({ length: count }, () => 200);

  // Twice: sent responses make room again.
  for (let round = 0; round < 2; round += 1) {
    wire.send(REQUEST.repeat(200));
    await server.untilHeld(200);
    wire.send(REQUEST);
    other.send(REQUEST);
    await server.untilHeld(201);
    server.release();

    assert.deepEqual(await statuses(201), [...all(200), 503]);
    assert.equal((await other.answer()).status, 200);
  }
});

test("an iteration that admits nothing more still serves the routes that are never shed", async () => {
  await using server = await startHolding(() => false);
  using wire = await openWire(server.url);
  wire.send(REQUEST);
  assert.equal((await wire.answer()).status, 503);
  wire.send("GET /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n");
  const { status, text } = await wire.answer();
  assert.deepEqual([status, text], [200, "healthy"]);
});
