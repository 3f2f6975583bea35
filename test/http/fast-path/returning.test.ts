import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { fc, runsOf } from "../../support/properties.ts";
import { openWire, plainRead, type Wire } from "../../support/raw-connection.ts";
import { openNodeWire, readWaysOf, serverHasRead } from "../../support/read-both-ways.ts";
import { startService } from "../../support/service.ts";

// A connection that sends plain reads and other requests in turn, as a proxy's does: the other ones
// go to node:http, and the next plain read is served on the fast path again.

const SEQUENCES = runsOf(300);

const service = await startService({
  config: { metricsPort: 0, authCallsPerWindow: 1_000_000 },
});
const ways = await readWaysOf(service);
after(async () => {
  ways[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});
const [customer, twin] = ways.twins.ample;

const HOST = "Host: kurs\r\n";
const VIA = "Via: 1.1 proxy\r\n";
const json = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;
const get = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`;

/** Requests after which the connection's next byte is known to begin a request. */
const whole: readonly (readonly [what: string, request: string])[] = [
  ["a request for the health", get("/healthz")],
  ["a request of another path", get("/nowhere")],
  ["a read with a query", get("/v1/rates/EUR/USD?a=b", "Authorization: ApiKey KEY\r\n")],
  ["a usage without a session", get("/v1/account/usage")],
  ["a preflight", `OPTIONS /v1/rates/EUR/USD HTTP/1.1\r\n${HOST}Origin: a\r\n\r\n`],
  ["a rejected method", `DELETE /v1/rates/EUR/USD HTTP/1.1\r\n${HOST}\r\n`],
  ["a log-in", json("/v1/auth/login", '{"email":"ada@example.org","password":"wrong password"}')],
  ["an empty body", json("/v1/auth/login", "")],
  ["malformed JSON", json("/v1/auth/login", "{")],
];

/** Requests whose end only node:http's parser knows. */
const others: readonly (readonly [what: string, request: string])[] = [
  [
    "a chunked body",
    `POST /v1/auth/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n` +
      "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  ],
  ["two requests at once", get("/healthz") + get("/healthz")],
  ["a request and the start of another", `${get("/healthz")}GET /healthz HTTP/1.1\r\n${HOST}X: `],
];

const readOf = (apiKey: string) => plainRead(apiKey);

async function assertReads(wire: Wire): Promise<void> {
  wire.send(readOf(customer.apiKey));
  const answer = await wire.answer();
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.text, /^\{"base":"EUR","quote":"USD",/);
}

suite("the read after another request", () => {
  test("in parts: the head, and its body byte by byte", async () => {
    const servedBefore = await ways.servedFast();
    using wire = await openWire(service.url);
    await assertReads(wire);
    const request = json("/v1/auth/login", '{"email":"ada@example.org","password":"wrong"}');
    const bodyStart = request.indexOf("\r\n\r\n") + 4;
    for (const part of [request.slice(0, bodyStart), ...request.slice(bodyStart)]) {
      wire.send(part);
      await serverHasRead(service.url);
    }
    assert.equal((await wire.answer()).status, 401);
    await assertReads(wire);
    assert.equal(await ways.servedFast(), servedBefore + 2);
  });

  test("when its response comes before its body", async () => {
    const servedBefore = await ways.servedFast();
    using wire = await openWire(service.url);
    await assertReads(wire);
    const body = "a".repeat(64);
    wire.send(`GET /healthz HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n`);
    await serverHasRead(service.url);
    wire.send(body);
    assert.equal((await wire.answer()).status, 200);
    await assertReads(wire);
    assert.equal(await ways.servedFast(), servedBefore + 2);
  });

  for (const [what, request] of whole) {
    test(`${what}: it is served on the fast path, and charged once`, async () => {
      const [unitsBefore, servedBefore] = [ways.usedUnits(customer), await ways.servedFast()];
      using wire = await openWire(service.url);
      await assertReads(wire);
      for (let times = 0; times < 3; times += 1) {
        wire.send(request.replaceAll("KEY", twin.apiKey));
        await wire.answer();
        await assertReads(wire);
      }
      assert.equal(await ways.servedFast(), servedBefore + 4);
      assert.equal(ways.usedUnits(customer), unitsBefore + 4);
    });
  }

  for (const [what, request, status] of [
    ["another request through a proxy", get("/nowhere", VIA), 404],
    ["a proxy's health check", get("/readyz"), 200],
  ] as const) {
    test(`also when ${what} came first`, async () => {
      const servedBefore = await ways.servedFast();
      using wire = await openWire(service.url);
      wire.send(request);
      assert.equal((await wire.answer()).status, status);
      await assertReads(wire);
      assert.equal(await ways.servedFast(), servedBefore + 1);
    });
  }

  for (const [what, request] of others) {
    test(`${what}: node:http serves the connection from then on, and charges once`, async () => {
      const [unitsBefore, servedBefore] = [ways.usedUnits(customer), await ways.servedFast()];
      using wire = await openWire(service.url);
      await assertReads(wire);
      wire.send(get("/healthz"));
      assert.equal((await wire.answer()).status, 200);
      wire.send(request);
      if (request.endsWith("X: ")) {
        assert.equal((await wire.answer()).status, 200);
        // A read's bytes are the value of the header X and what follows it.
        wire.send(`a\r\n\r\n${readOf(customer.apiKey)}`);
        assert.equal((await wire.answer()).status, 200);
      } else {
        const count = request.split(" HTTP/1.1").length - 1;
        for (let taken = 0; taken < count; taken += 1) await wire.answer();
        wire.send(readOf(customer.apiKey));
      }
      assert.match((await wire.answer()).text, /^\{"base":"EUR","quote":"USD",/);
      assert.equal(await ways.servedFast(), servedBefore + 1);
      assert.equal(ways.usedUnits(customer), unitsBefore + 2);
    });
  }

  test("a read that hides in the value of an unfinished header is not served", async () => {
    const unitsBefore = ways.usedUnits(customer);
    using wire = await openWire(service.url);
    await assertReads(wire);
    wire.send(`${get("/healthz")}GET /healthz HTTP/1.1\r\n${HOST}X: `);
    assert.equal((await wire.answer()).status, 200);
    await serverHasRead(service.url);
    // On the fast path these bytes would be a read; they end the header X and add some more.
    wire.send(readOf(customer.apiKey));
    const { text, status } = await wire.answer();
    assert.equal(ways.usedUnits(customer), unitsBefore + 1, `${status} ${text}`);
  });

  test("a read that arrives during another request is served after its response", async () => {
    const unitsBefore = ways.usedUnits(customer);
    using wire = await openWire(service.url);
    await assertReads(wire);
    wire.send(json("/v1/auth/login", '{"email":"bob@example.org","password":"wrong password"}'));
    await serverHasRead(service.url);
    wire.send(readOf(customer.apiKey));
    assert.equal((await wire.answer()).status, 401);
    assert.equal((await wire.answer()).status, 200);
    assert.equal(ways.usedUnits(customer), unitsBefore + 2);
  });
});

suite("a connection that node:http has served for one request", () => {
  test("is closed by a client, half-closed or reset without a trace", async () => {
    for (const leave of ["end", "destroy", "resetAndDestroy"] as const) {
      using wire = await openWire(service.url, true);
      await assertReads(wire);
      wire.send(get("/healthz"));
      assert.equal((await wire.answer()).status, 200);
      wire.socket[leave]();
      if (leave === "end") await wire.untilEnd();
    }
    assert.equal((await service.get("/healthz")).status, 200);
  });

  test("gets its response when it half-closes during a request, and is closed", async () => {
    using wire = await openWire(service.url, true);
    await assertReads(wire);
    const body = '{"email":"eve@example.org","password":"wrong password"}';
    wire.socket.end(json("/v1/auth/login", body));
    assert.equal((await wire.answer()).status, 401);
    await wire.untilEnd();
  });
});

test(`${SEQUENCES} random sequences on one connection get node:http's responses and charges`, async () => {
  const plain = fc.constant((apiKey: string) => readOf(apiKey));
  const other = fc.constantFrom(...whole.map(([, request]) => request));
  const requestOf = fc.oneof(
    { weight: 2, arbitrary: plain },
    { weight: 1, arbitrary: other.map((text) => (apiKey: string) => text.replace("KEY", apiKey)) },
  );
  const servedBefore = await ways.servedFast();
  let reads = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(requestOf, { minLength: 2, maxLength: 8 }), async (requests) => {
      const before = [ways.usedUnits(customer), ways.usedUnits(twin)] as const;
      using wire = await openWire(service.url);
      using nodeWire = await openNodeWire(service.url);
      for (const one of requests) {
        wire.send(one(customer.apiKey));
        nodeWire.send(one(twin.apiKey));
        const [answer, expected] = await Promise.all([wire.answer(), nodeWire.answer()]);
        assert.deepEqual(shapeOf(answer), shapeOf(expected));
        if (one(customer.apiKey) === readOf(customer.apiKey)) reads += 1;
      }
      const units = ways.usedUnits(customer) - before[0];
      assert.equal(units, ways.usedUnits(twin) - before[1]);
    }),
    { numRuns: SEQUENCES },
  );

  const served = (await ways.servedFast()) - servedBefore;
  assert.ok(served > reads / 2, `${served} of ${reads}`);
});

/** What two responses have in common: ids, dates and remaining units differ. */
function shapeOf({ status, text, lines }: Awaited<ReturnType<Wire["answer"]>>) {
  const names = lines.map((line) => line.split(":", 1)[0]);
  return { status, names, text: text.replace(/"request_id":"[^"]*"/, "") };
}
