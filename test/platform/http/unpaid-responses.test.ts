import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { suite, test } from "node:test";
import { createIterationQueue } from "../../../src/platform/async/iteration-queue.ts";
import { ClientGone } from "../../../src/platform/http/client-address.ts";
import { createUnpaidResponses } from "../../../src/platform/http/unpaid-responses.ts";
import { Failure } from "../../../src/platform/shared/failure.ts";
import { headersOf, PATH as MCP } from "../../reads/mcp/messages.ts";
import { openWire } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";
import { mostInAnIteration, watchRows } from "../../support/statements.ts";

const PIPELINED = 200;

const service = await startSharedService();
const { session, apiKey } = await service.newCustomer();
addPairs(1000);

function addPairs(count: number): void {
  using database = service.database();
  database.exec("BEGIN");
  const insert = database.prepare(`
    INSERT INTO rates (base, quote, rate, as_of, source)
    VALUES ('AAA', ?, '1.5', '2026-11-20T15:00:00.000000000Z', 'import')`);
  for (let index = 0; index < count; index += 1) insert.run(`Q${index}`);
  database.exec("COMMIT");
}

const list = `GET /v1/account/pairs HTTP/1.1\r\nHost: kurs\r\nAuthorization: Session ${session}\r\n\r\n`;

const resource = (() => {
  const json = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "kurs://pairs" } };
  const body = JSON.stringify(json);
  const headers = { ...headersOf("2025"), authorization: `ApiKey ${apiKey}` };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${MCP} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join("")}`;
  return `${head}content-length: ${body.length}\r\n\r\n${body}`;
})();

for (const [what, request] of [
  ["lists of pairs", list],
  ["resources over MCP", resource],
] as const) {
  test(`of ${PIPELINED} pipelined ${what} that a client does not read, few are made`, async () => {
    let pages = 0;
    using _counted = watchRows((rows) => {
      if (rows.length > 1000) pages += 1;
    });
    using wire = await openWire(service.url);
    wire.socket.pause();
    wire.send(request.repeat(PIPELINED));

    // Each of these takes an event-loop iteration, and so does each list until nobody reads it.
    for (let read = 0; read < 2 * PIPELINED; read += 1) {
      assert.equal((await service.get("/v1/account", { session })).status, 200);
    }

    // Their 34 MB do not fit into the buffers of a connection, which hold up to 10 MB.
    assert.ok(pages > 0 && pages < PIPELINED / 2, `${pages} pages`);
    wire.socket.resume();
    for (let response = 0; response < PIPELINED; response += 1) {
      const { status, text } = await wire.answer();
      assert.equal(status, 200);
      assert.ok(text.includes("AAA"));
    }
    assert.equal(pages, PIPELINED);
  });
}

test("a session that ended while its pipelined lists waited gets no further one", async () => {
  const own = await service.newCustomer();
  using wire = await openWire(service.url);
  const head = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: kurs\r\nAuthorization: Session ${own.session}\r\n\r\n`;
  const lists = head("GET", "/v1/account/api-keys").repeat(3);

  wire.send(head("GET", "/v1/account/pairs") + head("POST", "/v1/auth/logout") + lists);

  const statuses: number[] = [];
  for (let response = 0; response < 5; response += 1) statuses.push((await wire.answer()).status);
  assert.deepEqual(statuses, [200, 204, 401, 401, 401]);
});

test("of 100 requests with a session at once, 8 begin in an event-loop iteration", async () => {
  let total = 0;
  const lookUps = (_rows: unknown, sql: string) => {
    const isLookUp = /SELECT [^;]*FROM sessions/.test(sql);
    total += isLookUp ? 1 : 0;
    return isLookUp ? 1 : 0;
  };
  const most = await mostInAnIteration(lookUps, async () => {
    using wire = await openWire(service.url);
    const head = "GET /v1/account/settings HTTP/1.1\r\nHost: kurs\r\n";
    wire.send(`${head}Authorization: Session ${session}\r\n\r\n`.repeat(100));
    for (let response = 0; response < 100; response += 1) {
      assert.equal((await wire.answer()).status, 200);
    }
  });

  assert.equal(total, 100);
  // Two iterations' requests, where the count's own iteration begins between them.
  assert.ok(most <= 16, `${most} in one iteration`);
});

/** A response on a connection, as far as the limit needs it. */
function responseOn(socket: EventEmitter & { destroyed: boolean }) {
  const response = Object.assign(new EventEmitter(), { req: { socket } });
  return response as unknown as ServerResponse;
}

const newSocket = () => {
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableLength: 0,
    destroy() {
      socket.destroyed = true;
      socket.emit("close");
    },
  });
  return socket;
};

const isOverloaded = (error: unknown) =>
  error instanceof Failure && error.code === "temporarily_unavailable";

suite("unpaid responses", () => {
  const setUp = () => {
    const awaitUnpaid = createUnpaidResponses(createIterationQueue());
    const enter = async (accountId: string, response = responseOn(newSocket())) => {
      await (await awaitUnpaid(response)).count(accountId);
      return response;
    };
    return { awaitUnpaid, enter };
  };

  test("an account has 32 responses at once, and one more when one of them is written", async () => {
    const { enter } = setUp();
    const responses = await Promise.all(Array.from({ length: 32 }, () => enter("ada")));

    await assert.rejects(enter("ada"), isOverloaded);
    await enter("bob");
    responses[0]?.emit("close");
    await enter("ada");
    await assert.rejects(enter("ada"), isOverloaded);
  });

  test("beyond 256 of all accounts, a response takes the place of the one that is unread for longest", async () => {
    const { enter } = setUp();
    const sockets = Array.from({ length: 256 }, newSocket);
    await Promise.all(
      sockets.map((socket, index) => enter(`account ${index % 8}`, responseOn(socket))),
    );

    await assert.rejects(enter("ada"), isOverloaded);
    for (const index of [7, 9]) Object.assign(sockets[index] ?? {}, { writableLength: 1 });
    await enter("ada");
    await enter("ada");

    const closed = sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));
    assert.deepEqual(closed, [7, 9]);
    await assert.rejects(enter("ada"), isOverloaded);
  });

  test("accounts take turns, and those of one account go in order of arrival", async () => {
    const { enter } = setUp();
    const begun: string[] = [];
    const begin = (account: string) => enter(account).then(() => begun.push(account));
    const all = [..."bbbbbcccc"].map(begin);

    await Promise.all([begin("a").then(() => begin("ada")), ...all]);

    assert.equal(begun.join(" "), "b c a b c ada b c b c b");
  });

  test("a connection that closes frees its place, and the requests behind it never run", async () => {
    const { awaitUnpaid, enter } = setUp();
    const sockets = Array.from({ length: 32 }, newSocket);
    await Promise.all(sockets.map((socket) => enter("ada", responseOn(socket))));
    const [socket = newSocket()] = sockets;
    const waiting = [awaitUnpaid(responseOn(socket)), awaitUnpaid(responseOn(socket))];

    socket.destroyed = true;
    socket.emit("close");

    await Promise.all(waiting.map((response) => assert.rejects(response, ClientGone)));
    await enter("ada");
    await assert.rejects(enter("ada"), isOverloaded);
    assert.equal(socket.listenerCount("close"), 0);
  });

  test("one piece of work begins per event-loop iteration", async () => {
    const { enter } = setUp();
    let [iteration, isOver] = [0, false];
    const count = () => {
      iteration += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const begun: number[] = [];

    await Promise.all(
      Array.from({ length: 10 }, () => enter("ada").then(() => begun.push(iteration))),
    );
    isOver = true;

    assert.equal(new Set(begun).size, 10);
  });
});
