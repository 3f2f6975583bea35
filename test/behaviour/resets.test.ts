import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, suite, test } from "node:test";
import { eventually } from "../support/mails.ts";
import { startService } from "../support/service.ts";
import { openWire } from "../support/wire.ts";

// Clients that reset the connection at the worst moment. A socket without a listener for its errors
// would end the process, and this file with it.

const CONNECTIONS = 30;

const service = await startService({ config: { metricsPort: 0, connectionsMax: 20 } });
after(() => service[Symbol.asyncDispose]());

const session = await service.openSession();
const { apiKey } = await service.createKey(session);
const read = `GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\nAuthorization: ApiKey ${apiKey}\r\n\r\n`;
const body = JSON.stringify({ email: "ada@example.org", password: "correct horse battery" });
const logIn =
  "POST /v1/auth/login HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n" +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

const requests: readonly (readonly [what: string, text: string])[] = [
  ["CONNECT", "CONNECT x:443 HTTP/1.1\r\n\r\n"],
  ["CONNECT with a body to come", "CONNECT x:443 HTTP/1.1\r\nContent-Length: 9\r\n\r\n"],
  ["CONNECT behind reads", `${read.repeat(5)}CONNECT x:443 HTTP/1.1\r\n\r\n`],
  [
    "a wish to upgrade",
    "GET / HTTP/1.1\r\nHost: k\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  ],
  ["garbage", "garbage\r\n\r\n"],
  ["garbage behind reads", `${read.repeat(5)}garbage\r\n\r\n`],
  ["an unknown method", "BREW /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n"],
  ["a path beyond ASCII", "GET /v1/rates/\u00c4/USD HTTP/1.1\r\nHost: kurs\r\n\r\n"],
  ["an expectation", "GET /healthz HTTP/1.1\r\nHost: kurs\r\nExpect: x\r\n\r\n"],
  ["half a head", "GET /healthz HTTP/1.1\r\nHo"],
  ["a log-in", logIn],
  ["nothing", ""],
];

async function resetAfter(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  // The server may be faster to close; that is an end of the connection, too.
  socket.on("error", () => undefined);
  await once(socket, "connect").catch(() => undefined);
  socket.write(text);
  socket.resetAndDestroy();
}

const internalErrors = () =>
  service.logLines.filter((line) => /"level":50|"status":500/.test(line));

suite("the service outlives clients that send", () => {
  for (const [what, text] of requests) {
    test(`${what} and reset ${CONNECTIONS} connections, also beyond the limit`, async () => {
      await Promise.all(Array.from({ length: CONNECTIONS }, () => resetAfter(service.url, text)));

      await eventually("a read", async () => {
        const { status } = await service.get("/v1/rates/EUR/USD", { apiKey });
        return status === 200 ? true : undefined;
      });
      assert.deepEqual(internalErrors(), []);
    });

    test(`${what} to the metrics and reset ${CONNECTIONS} connections`, async () => {
      const url = service.metricsUrl ?? "";
      await Promise.all(Array.from({ length: CONNECTIONS }, () => resetAfter(url, text)));

      const found = await eventually("metrics", async () => {
        const response = await fetch(url).catch(() => undefined);
        return await response?.text();
      });
      assert.match(found, /^# HELP /);
    });
  }
});

test("a client that sends on after CONNECT, and never ends its side, is let go", async () => {
  using wire = await openWire(service.url, true);
  wire.send("CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.equal((await wire.answer()).status, 405);
  await wire.untilEnd();

  await eventually("end of the connection", async () => {
    wire.send("a");
    return wire.socket.destroyed ? true : undefined;
  });
});
