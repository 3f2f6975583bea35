import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { comparable, openWire, plainRead, type Wire } from "../../support/raw-connection.ts";
import {
  openNodeWire,
  readWaysOf,
  type Situation,
  serverHasRead,
  situations,
} from "../../support/read-both-ways.ts";
import { startService } from "../../support/service.ts";

// A read in its plainest form bypasses node:http (docs/decisions/0009). node:http itself is the
// reference: either path must send the same bytes and charge the same units.

const service = await startService({ config: { metricsPort: 0 } });
service.query(
  "UPDATE rates SET suspended_at = '2026-11-01T00:00:00.000Z' WHERE base = 'EUR' AND quote = 'CHF'",
);
const ways = await readWaysOf(service);
after(async () => {
  ways[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

const [customer] = ways.twins.ample;
const read = plainRead(customer.apiKey);
const readOf = (pair: string) => (apiKey: string) => plainRead(apiKey, pair);

/** @returns a function that returns the units charged since this call. */
function countUnits(): () => number {
  const before = ways.usedUnits(customer);
  return () => ways.usedUnits(customer) - before;
}

async function assertReads(wire: Wire, status = 200): Promise<void> {
  const answer = await wire.answer();
  assert.equal(answer.status, status, answer.text);
  if (status === 200) assert.match(answer.text, /^\{"base":"EUR","quote":"USD",/);
}

const zeros = "0".repeat(64);
const pairs: readonly (readonly [what: string, pair: string, status: number, units: number])[] = [
  ["a rate", "EUR/USD", 200, 1],
  ["symbols in lower case", "eur/uSd", 200, 1],
  ["an unsupported pair", "EUR/XXX", 404, 1],
  ["a suspended pair", "EUR/CHF", 503, 1],
];
const keys: readonly (readonly [what: string, keyOf: (apiKey: string) => string])[] = [
  ["an unknown key", () => `svc_live_${zeros}`],
  ["a session's token as the key", () => customer.session],
  ["a key in upper case", (apiKey) => apiKey.toUpperCase()],
  ["a key with one character too many", (apiKey) => `${apiKey}0`],
];

suite("the fast path sends node:http's response", () => {
  for (const [what, pair, status, units] of pairs) {
    test(`${what}: ${status}, ${units} unit`, async () => {
      const outcome = await ways.trace(readOf(pair), "ample");
      assert.equal(outcome.isPlain, true);
      assert.equal(outcome.units, units);
      assert.match(outcome.text, new RegExp(`HTTP/1\\.1 ${status} `));
    });
  }

  for (const [what, keyOf] of keys) {
    test(`${what}: 401, uncharged`, async () => {
      const outcome = await ways.trace((apiKey) => plainRead(keyOf(apiKey)), "ample");
      assert.equal(outcome.isPlain, true);
      assert.equal(outcome.units, 0);
      assert.match(outcome.text, /HTTP\/1\.1 401 /);
    });
  }

  const rejected: readonly (readonly [Situation, number])[] = [
    ["exhausted", 429],
    ["revoked", 401],
  ];
  for (const [situation, status] of rejected) {
    test(`a key that is ${situation}: ${status}, uncharged`, async () => {
      const outcome = await ways.trace(readOf("EUR/USD"), situation);
      assert.equal(outcome.isPlain, true);
      assert.equal(outcome.units, 0);
      assert.match(outcome.text, new RegExp(`HTTP/1\\.1 ${status} `));
    });
  }

  test("over TLS, with Strict-Transport-Security", async () => {
    await using secure = await startService({
      config: { publicUrl: "https://kurs.example", metricsPort: 0 },
    });
    using secureWays = await readWaysOf(secure);
    const { text, isPlain } = await secureWays.trace(readOf("EUR/USD"), "ample");
    assert.equal(isPlain, true);
    assert.match(text, /\r\nstrict-transport-security: max-age=31536000\r\n/);
  });

  test("503 when the store cannot charge and when it cannot read the rate", async () => {
    await using broken = await startService({ config: { metricsPort: 0 } });
    using brokenWays = await readWaysOf(broken);
    const faults = [
      ["charged_units", 0],
      ["rates", 1],
    ] as const;
    for (const [table, units] of faults) {
      broken.query(`ALTER TABLE ${table} RENAME TO gone`);
      const outcome = await brokenWays.trace(readOf("EUR/USD"), "ample");
      broken.query(`ALTER TABLE gone RENAME TO ${table}`);
      assert.equal(outcome.isPlain, true);
      assert.match(outcome.text, /HTTP\/1\.1 503 /);
      assert.equal(outcome.units, units);
    }
  });
});

/** Sends a text in parts, each after the server has read the one before. */
async function sendParts(wire: Wire, parts: readonly string[]): Promise<void> {
  for (const [index, part] of parts.entries()) {
    if (index > 0) await serverHasRead(service.url);
    wire.send(part);
  }
}

suite("one connection", () => {
  test("a read cut in two at any byte gets the same response and costs one unit", async () => {
    using whole = await openWire(service.url);
    whole.send(read);
    await whole.untilBytes(1);
    const expected = comparable(whole.received());
    const units = countUnits();

    for (let cut = 1; cut < read.length; cut += 1) {
      using wire = await openWire(service.url);
      await sendParts(wire, [read.slice(0, cut), read.slice(cut)]);
      await wire.answer();
      wire.send(read);
      await wire.untilBytes(whole.received().length);
      assert.equal(comparable(wire.received()), expected, `cut at ${cut}`);
    }
    assert.equal(units(), 2 * (read.length - 1));
  });

  test("a read in three parts after one on the fast path gets its response and costs one unit", async () => {
    using wire = await openWire(service.url);
    const units = countUnits();
    wire.send(read);
    await assertReads(wire);
    await sendParts(wire, [read.slice(0, 20), read.slice(20, 60), read.slice(60)]);
    await assertReads(wire);
    assert.equal(units(), 2);
  });

  test("alternating reads and other requests are served in order, each charged correctly", async () => {
    using wire = await openWire(service.url);
    const units = countUnits();
    const json = JSON.stringify({ email: "lane@example.org", password: "correct horse battery" });
    const others = [
      [
        "POST /v1/auth/register HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n" +
          `Content-Length: ${json.length}\r\n\r\n${json}`,
        201,
      ],
      ["GET /unknown HTTP/1.1\r\nHost: kurs\r\n\r\n", 404],
      ["GET /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n", 200],
    ] as const;
    wire.send(read);
    await assertReads(wire);

    for (const [request, status] of others) {
      wire.send(request);
      assert.equal((await wire.answer()).status, status);
      wire.send(read);
      await assertReads(wire);
    }
    assert.equal(units(), 1 + others.length);
  });

  test("several reads in one packet are all served, in order", async () => {
    for (const first of ["", read]) {
      using wire = await openWire(service.url);
      const units = countUnits();
      if (first !== "") {
        wire.send(first);
        await assertReads(wire);
      }
      const pairsInOrder = ["EUR/USD", "EUR/GBP", "EUR/XXX", "EUR/JPY"];
      wire.send(pairsInOrder.map((pair) => plainRead(customer.apiKey, pair)).join(""));

      for (const pair of pairsInOrder) {
        const { status, text } = await wire.answer();
        assert.equal(status, pair === "EUR/XXX" ? 404 : 200);
        if (status === 200) assert.match(text, new RegExp(`"quote":"${pair.slice(4)}"`));
      }
      assert.equal(units(), pairsInOrder.length + (first === "" ? 0 : 1));
    }
  });

  test("a rejected read keeps the connection open, and the next read on it is served", async () => {
    using wire = await openWire(service.url);
    const units = countUnits();
    const refusals = [
      [plainRead(`svc_live_${zeros}`), 401],
      [plainRead(ways.twins.exhausted[0].apiKey), 429],
      [plainRead(customer.apiKey, "EUR/XXX"), 404],
      [plainRead(customer.apiKey, "EUR/CHF"), 503],
    ] as const;
    for (const [request, status] of refusals) {
      wire.send(request);
      const { lines, ...answer } = await wire.answer();
      assert.equal(answer.status, status);
      assert.ok(lines.includes("Connection: keep-alive"), lines.join("\n"));
      wire.send(read);
      await assertReads(wire);
    }
    assert.equal(units(), refusals.length + 2);
  });

  test("an unfinished request costs nothing and delays no other client", async () => {
    using half = await openWire(service.url);
    const units = countUnits();
    half.send(read.slice(0, -2));
    await serverHasRead(service.url);

    assert.equal(units(), 0);
    assert.equal(half.received(), "");
    half.send("\r\n");
    await assertReads(half);
    assert.equal(units(), 1);
  });
});

suite("a client that disconnects", () => {
  test("right after its request still gets its response and is charged once", async () => {
    using wire = await openWire(service.url, true);
    const units = countUnits();
    wire.socket.end(read);
    await assertReads(wire);
    await wire.untilEnd();
    assert.equal(wire.received(), "");
    assert.equal(units(), 1);
  });

  test("after its response has its connection closed", async () => {
    using wire = await openWire(service.url, true);
    wire.send(read);
    await assertReads(wire);
    wire.socket.end();
    await wire.untilEnd();
  });

  test("before its response is charged at most once, and the server keeps running", async () => {
    const units = countUnits();
    const clients = 50;
    for (let client = 0; client < clients; client += 1) {
      const wire = await openWire(service.url);
      wire.send(read);
      if (client % 2 === 0) wire.socket.resetAndDestroy();
      else wire.socket.destroy();
    }
    await serverHasRead(service.url);
    assert.ok(units() <= clients, String(units()));
    using wire = await openWire(service.url);
    wire.send(read);
    await assertReads(wire);
  });
});

test("each read logs one line with its route pattern, its account and the key's prefix only", async () => {
  const linesOf = (from: number) =>
    service.logLines.slice(from).flatMap((lines) => lines.trimEnd().split("\n"));
  for (const open of [openWire, openNodeWire]) {
    using wire = await open(service.url);
    const from = service.logLines.length;
    const ids: string[] = [];
    for (const situation of situations) {
      wire.send(plainRead(ways.twins[situation][0].apiKey));
      const { lines } = await wire.answer();
      ids.push(lines.find((line) => line.startsWith("x-request-id: "))?.slice(14) ?? "");
    }

    // Lines of clients that disconnected in earlier tests may come late.
    const logged = linesOf(from)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => ids.includes(String(line.request_id)));
    const told = logged.map(({ duration_us, time, ...line }) => {
      assert.equal(typeof duration_us, "number");
      assert.equal(time, "2026-11-21T12:00:00.000Z");
      return line;
    });
    const fixed = { level: "info", method: "GET", route: "/v1/rates/:base/:quote" };
    assert.deepEqual(
      told,
      situations.map((situation, index) => {
        const { apiKey, accountId } = ways.twins[situation][0];
        const status = { ample: 200, exhausted: 429, revoked: 401 }[situation];
        const caller = { key_prefix: apiKey.slice(0, 17), account_id: accountId };
        const rejected = situation === "revoked" ? { rejected: "revoked" } : {};
        return { ...fixed, request_id: ids[index], status, ...caller, ...rejected };
      }),
    );
    for (const situation of situations) {
      const secret = ways.twins[situation][0].apiKey.slice(17);
      assert.ok(!linesOf(from).some((line) => line.includes(secret)));
    }
  }
});
