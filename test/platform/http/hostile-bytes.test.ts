import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { assertFailure } from "../../support/assertions.ts";
import { eventually } from "../../support/mails.ts";
import { scrape } from "../../support/metrics.ts";
import { openWire, plainRead, type Wire, type WireAnswer } from "../../support/raw-connection.ts";
import { openNodeWire, readWaysOf, serverHasRead } from "../../support/read-both-ways.ts";
import { startService } from "../../support/service.ts";
import { behind, hostileRows } from "./hostile-rows.ts";

// Every hostile row, at every door, in every way in which its bytes may arrive: it gets its failure
// in the envelope behind the responses to the requests before it, nothing behind it is served or
// charged, and the connection closes.

const service = await startService({ config: { metricsPort: 0, freePlanUnits: 1_000_000 } });
const ways = await readWaysOf(service);
after(async () => {
  ways[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});
const [customer] = ways.twins.ample;
const read = plainRead(customer.apiKey);
const health = "GET /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n";
const rows = hostileRows(customer.apiKey);

/** Sends each byte in a packet of its own: the server, in this process, reads it before the next. */
async function sendBytes(wire: Wire, text: string): Promise<void> {
  for (const byte of text) {
    wire.send(byte);
    await turn();
  }
}

interface Arrival {
  readonly how: string;
  /** The units of the reads before. */
  readonly units: number;
  /** Rows that are longer do not arrive in this way. */
  readonly lengthMax?: number;
  readonly open?: typeof openWire;
  arrive(wire: Wire, text: string): unknown;
}

const arrivals: readonly Arrival[] = [
  { how: "alone", units: 0, arrive: (wire, text) => wire.send(text) },
  {
    how: "on a connection of node:http",
    units: 0,
    open: openNodeWire,
    arrive: (wire, text) => wire.send(text),
  },
  { how: "byte by byte", units: 0, lengthMax: 400, arrive: sendBytes },
  {
    how: "before the client's end",
    units: 0,
    arrive: (wire, text) => void wire.socket.end(text, "latin1"),
  },
  { how: "behind five reads", units: 5, arrive: (wire, text) => wire.send(read.repeat(5) + text) },
  {
    how: "byte by byte, behind others",
    units: 1,
    lengthMax: 160,
    arrive: (wire, text) => sendBytes(wire, read + health + text),
  },
  {
    how: "on a connection that was used",
    units: 1,
    async arrive(wire, text) {
      wire.send(read);
      await wire.untilAnswer();
      wire.send(text);
    },
  },
];

/** @returns all responses on a connection. */
async function answersOf(wire: Wire, text: string): Promise<readonly WireAnswer[]> {
  const answers: WireAnswer[] = [];
  // A body without a framing would last until the client's end.
  const isEndless = /Encoding: (?:identity|gzip)\r\n/.test(text);
  if (!isEndless) await wire.untilEnd();
  do answers.push(await wire.answer());
  while (answers.at(-1)?.status === 200);
  if (isEndless) {
    await serverHasRead(service.url);
    assert.ok(wire.isOver(), "the server waits for the body");
  }
  assert.equal(wire.received(), "", "a second response came");
  return answers;
}

for (const {
  how,
  units,
  lengthMax = Number.POSITIVE_INFINITY,
  open = openWire,
  arrive,
} of arrivals) {
  suite(`§4 a request that is rejected as it arrives, ${how}:`, () => {
    const arriving = rows.filter(({ text }) => text.length <= lengthMax);
    for (const [status, same] of Map.groupBy(arriving, (row) => row.status)) {
      test(`${same.length} of them are ${status}, and nothing behind them is served`, async () => {
        for (const { what, text, allow } of same) {
          const before = ways.usedUnits(customer);
          using wire = await open(service.url);
          await arrive(wire, text);
          if (wire.socket.writable) wire.send(behind(customer.apiKey));
          const answers = await answersOf(wire, text);
          const last = answers.at(-1);
          assert.ok(last !== undefined, `${what}: no response`);
          const code = { 400: "invalid_request", 404: "not_found", 413: "payload_too_large" };
          const expected = status === 405 ? "method_not_allowed" : code[status];
          assert.deepEqual(
            [last.status, last.body.code],
            [status, expected],
            `${what}: ${last.text}`,
          );
          assertFailure(last, status, expected, status === 413 ? /16 KiB/ : /\S/);
          assert.deepEqual([last.headers.connection, last.headers.allow], ["close", allow], what);
          for (const answer of answers.slice(0, -1)) assert.equal(answer.status, 200, what);
          assert.equal(ways.usedUnits(customer) - before, units, `${what}: units`);
        }
      });
    }
  });
}

const upgrade = "GET / HTTP/1.1\r\nHost: k\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
const posted = '{"email":"eve@example.org","password":"wrong password"}';
const post = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: k\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${posted.length}\r\n\r\n${posted}`;

// A socket without an error listener would end the process. Random moments are a trial's.
test("clients that reset their connection at any moment, whatever they sent, break nothing", async () => {
  const resets = [
    ...rows.filter(({ what }, index) => index % 4 === 0 || /^CONNECT/.test(what)),
    ...["", upgrade, read, post("/v1/auth/login"), post("/v1/auth/password-reset")].map((text) => ({
      text,
    })),
  ];
  const metrics = String(service.metricsUrl);
  for (const url of [service.url, metrics]) {
    for (const before of ["", health]) {
      for (const { text } of resets) {
        for (let turns = 0; turns < 4; turns += 1) {
          const { socket } = await openWire(url, turns === 3);
          if (turns === 3) socket.end(before + text, "latin1");
          else socket.write(before + text, "latin1");
          for (let count = 0; count < turns; count += 1) await turn();
          socket.resetAndDestroy();
        }
      }
    }
  }
  assert.equal((await service.readRate("EUR/USD", customer.apiKey)).status, 200);
  const { total } = await scrape(service);
  assert.equal(total("kurs_http_requests_total", { status: "500" }), 0);
  assert.doesNotMatch(service.logLines.join(""), /"level":"(?:error|fatal)"/);
});

test("a client that keeps sending after CONNECT and never half-closes is disconnected", async () => {
  using wire = await openWire(service.url, true);
  wire.send("CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.equal((await wire.answer()).status, 405);
  await wire.untilEnd();

  await eventually("end of the connection", () => {
    wire.send("a");
    return wire.socket.destroyed || undefined;
  });
});
