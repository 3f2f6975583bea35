import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../test/support/mails.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";
import { SEED } from "../../test/support/properties.ts";
import { Draws } from "../../test/support/random.ts";
import { openWire, plainRead } from "../../test/support/raw-connection.ts";
import { openSockets } from "../../test/support/resources.ts";
import { requestOf, weights } from "./random-connection.ts";

// Clients that reset the connection at the worst moment. A socket without an error listener would
// end the process. The server has a process of its own: in the clients' event loop no reset could
// arrive between its reading and its writing.

const CONNECTIONS = 75;

const directory = await temporaryDirectory();
const server = await serve({
  dataDirectory: directory.path,
  env: { METRICS_PORT: "0", PLAN_FREE_UNITS: "1000000", AUTH_LIMIT: "1000000" },
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});
const { apiKey, session } = await server.newCustomer("ada@example.org");
const metricsUrl = String(
  server.logLines().find(({ msg }) => msg === "serving metrics")?.url ?? "",
);

const json = JSON.stringify({ email: "eve@example.org" });
const reset =
  "POST /v1/auth/password-reset HTTP/1.1\r\nHost: k\r\nContent-Type: application/json\r\n" +
  `Content-Length: ${json.length}\r\n\r\n${json}`;

const draws = new Draws([SEED, "resets"]);
const health = "GET /healthz HTTP/1.1\r\nHost: k\r\n\r\n";

/** Each kind of a request alone and behind others, half a head, and nothing. */
const requests: readonly (readonly [what: string, text: string])[] = [
  ...(Object.keys(weights) as (keyof typeof weights)[]).flatMap((kind) => {
    const { text } = requestOf(kind, draws, { apiKey, session });
    return [
      [kind, text],
      [`${kind} behind reads and a health check`, plainRead(apiKey).repeat(5) + health + text],
    ] as const;
  }),
  ["half a head", health.slice(0, 25)],
  ["nothing", ""],
];

async function sendAndReset(url: string, text: string): Promise<void> {
  for (let index = 0; index < CONNECTIONS; index += 1) {
    const { socket } = await openWire(url);
    socket.write(text);
    // Before the server reads, while it serves, and after that.
    if (index % 3 > 0) await pause(index % 3);
    socket.resetAndDestroy();
  }
}

suite("the service survives clients that send", () => {
  for (const [what, text] of requests) {
    test(`${what} and reset ${CONNECTIONS} connections, to it and to its metrics`, async () => {
      await sendAndReset(server.url, text);
      await sendAndReset(metricsUrl, text);

      assert.equal((await server.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
      const metrics = await fetch(metricsUrl);
      assert.match(await metrics.text(), /^# HELP /);
      const faults = server
        .logLines()
        .filter(({ level, status }) => level === "error" || status === 500);
      assert.deepEqual(faults, []);
    });
  }
});

test("a client that keeps sending after CONNECT and never half-closes is disconnected", async () => {
  using wire = await openWire(server.url, true);
  wire.send("CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.equal((await wire.answer()).status, 405);
  await wire.untilEnd();

  await eventually("end of the connection", async () => {
    wire.send("a");
    return wire.socket.destroyed ? true : undefined;
  });
});

for (const [what, behind] of [
  ["", ""],
  [" behind which CONNECT comes", "CONNECT x:443 HTTP/1.1\r\n\r\n"],
] as const) {
  test(`a client that half-closes and resets during a password reset${what} keeps no connection`, async () => {
    const before = openSockets(server.program.pid);
    const leave = async () => {
      const { socket } = await openWire(server.url);
      socket.end(reset + behind);
      await pause(2);
      socket.resetAndDestroy();
    };
    await Promise.all(Array.from({ length: 300 }, leave));

    await eventually(
      "end of every connection",
      () => openSockets(server.program.pid) <= before || undefined,
    );
  });
}
