import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { suite, test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { openWire, plainRead, type Wire } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";

// A response may come before the request's body has. The connection must survive the rest of the
// body: a proxy that is still writing would count a reset as the failure of the node.

const service = await startSharedService({ config: { authCallsPerWindow: 1_000 } });
const { apiKey, session } = await service.newCustomer();

const BODY_BYTES = 200_000;
const FIRST_BYTES = 20_000;
const PART = "x".repeat(FIRST_BYTES);
const CHUNK = `${FIRST_BYTES.toString(16)}\r\n${PART}\r\n`;
const MIB = 1024 * 1024;

const rejections = [
  [413, "POST /v1/auth/login", "Content-Type: application/json\r\n"],
  [415, "POST /v1/auth/login", "Content-Type: text/plain\r\n"],
  [401, "POST /v1/account/api-keys", "Content-Type: application/json\r\n"],
  [404, "POST /v1/nowhere", ""],
  [405, "POST /healthz", ""],
  [413, "GET /healthz", ""],
  [405, "POST /healthz", "X-Forwarded-For: 198.51.100.1\r\n"],
  [413, "POST /v1/auth/login", "Content-Type: application/json\r\nVia: 1.1 proxy\r\n"],
] as const;

const headOf = (start: string, headers: string) => `${start} HTTP/1.1\r\nHost: kurs\r\n${headers}`;

const untilEvent = (socket: Socket, event: string) =>
  new Promise<void>((resolve) => void socket.once(event, () => resolve()));

/** Sends until the server closes the connection. @returns the bytes that were sent. */
async function sendEndlessly({ socket }: Wire): Promise<number> {
  const part = Buffer.alloc(64 * 1024, "x");
  while (!socket.destroyed && socket.bytesWritten < 64 * MIB) {
    if (socket.write(part)) continue;
    // Ends the wait also when the connection breaks.
    await Promise.race(["drain", "close"].map((event) => untilEvent(socket, event)));
  }
  return socket.bytesWritten;
}

suite("a request that is rejected before its body has arrived", { concurrency: 1 }, () => {
  for (const [status, start, headers] of rejections) {
    const name = `${start} with ${headers.replaceAll("\r\n", " ") || "a body"}`;

    test(`${name}: ${status}, and after the body the next request is served`, async () => {
      using wire = await openWire(service.url);
      wire.send(`${headOf(start, headers)}Content-Length: ${BODY_BYTES}\r\n\r\n`);
      wire.send(PART);
      const rejected = await wire.answer();
      wire.send("x".repeat(BODY_BYTES - FIRST_BYTES));
      wire.send(plainRead(apiKey));

      assert.equal(rejected.status, status, rejected.text);
      assert.equal((await wire.answer()).status, 200);
      assert.equal(wire.socket.errored, null);
    });

    for (const [how, framing, chunk, rest] of [
      ["in chunks", "Transfer-Encoding: chunked", CHUNK, `0\r\n\r\n${plainRead(apiKey)}`],
      ["and Connection: close", `Content-Length: ${BODY_BYTES}\r\nConnection: close`, PART, ""],
    ] as const) {
      test(`${name} ${how}: ${status}, and the connection closes after the body`, async () => {
        const before = await service.usedUnits(session);
        using wire = await openWire(service.url, true);
        wire.send(`${headOf(start, headers)}${framing}\r\n\r\n${chunk}`);
        const rejected = await wire.answer();
        for (let sent = FIRST_BYTES; sent < BODY_BYTES; sent += FIRST_BYTES) {
          await new Promise((resolve) => wire.socket.write(chunk, resolve));
        }
        wire.send(rest);
        await wire.untilEnd();

        assert.equal(rejected.status, status, rejected.text);
        assert.equal(rejected.headers.connection, "close");
        assert.equal(wire.received(), "", "a second response came");
        assert.equal(wire.socket.errored, null);
        assert.equal(await service.usedUnits(session), before);
      });
    }
  }

  for (const part of ["", "x"]) {
    const how = part === "" ? "never comes" : "comes slowly";
    test(`a body that ${how} is awaited for 5 s, then the connection closes`, async (t) => {
      using wire = await openWire(service.url);
      const ended = wire.untilEnd();
      t.mock.timers.enable({ apis: ["setTimeout"] });
      wire.send(`${headOf("POST /healthz", "")}Content-Length: ${BODY_BYTES}\r\n\r\n`);
      assert.equal((await wire.answer()).status, 405);

      for (const ms of [1000, 3999]) {
        wire.send(part);
        t.mock.timers.tick(ms);
      }
      using other = await openWire(service.url);
      other.send(plainRead(apiKey));
      assert.equal((await other.answer()).status, 200);
      assert.equal(wire.isOver(), false);
      wire.send(part);
      t.mock.timers.tick(1);
      t.mock.timers.reset();

      await ended;
      assert.equal(wire.received(), "", "a second response came");
      assert.equal(wire.socket.errored, null);
    });
  }

  test("a body without end is cut off, in chunks also on a route that ignores it", async () => {
    for (const start of ["POST /v1/auth/login", "GET /healthz", "DELETE /v1/account/sessions"]) {
      for (const framing of [`Content-Length: ${1000 * MIB}`, "Transfer-Encoding: chunked"]) {
        using wire = await openWire(service.url);
        const credential = `Authorization: Session ${session}\r\n`;
        const json = "Content-Type: application/json\r\n";
        wire.send(`${headOf(start, credential + json)}${framing}\r\n\r\n`);
        if (framing.endsWith("chunked")) wire.send("3e800000\r\n");
        const sent = sendEndlessly(wire);

        assertFailure(await wire.answer(), 413, "payload_too_large");
        assert.ok((await sent) < 64 * MIB);
        assert.equal(wire.received(), "", "a second response came");
      }
    }
    assert.equal((await service.get("/v1/account/sessions", { session })).status, 200);
  });

  test("a body with a broken chunk gets no second response, and the connection closes", async () => {
    for (const [start, status] of [
      ["POST /healthz", 405],
      ["POST /v1/account/api-keys", 401],
    ] as const) {
      using wire = await openWire(service.url);
      const head = headOf(start, "Content-Type: application/json\r\n");
      wire.send(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
      const rejected = await wire.answer();
      wire.send(`zz\r\n${plainRead(apiKey)}`);
      await wire.untilEnd();

      assert.equal(rejected.status, status);
      assert.equal(wire.received(), "", "a second response came");
    }
  });

  test("responses of earlier requests come first, however long the body is", async () => {
    const before = await service.usedUnits(session);
    using wire = await openWire(service.url);
    wire.send(
      `${plainRead(apiKey)}${headOf("POST /healthz", "")}Content-Length: ${4 * MIB}\r\n\r\n`,
    );
    wire.send("x".repeat(2 * MIB));

    assert.equal((await wire.answer()).status, 200);
    assert.equal((await wire.answer()).status, 405);
    await wire.untilEnd();
    assert.equal(await service.usedUnits(session), before + 1);
  });
});
