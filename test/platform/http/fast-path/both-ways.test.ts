import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { fc, runsOf } from "../../../support/properties.ts";
import { openWire, plainRead, type Wire } from "../../../support/raw-connection.ts";
import { readWaysOf, type Situation, serverHasRead } from "../../../support/read-both-ways.ts";
import { startService } from "../../../support/service.ts";
import { callOf, headersOf, oddCalls, oddReads, someOddRead, textOf } from "./requests.ts";

// A read or a call in its plainest form bypasses node:http (docs/decisions/0009). node:http itself
// is the reference: either way must send the same bytes and charge the same units.

const service = await startService({ config: { metricsPort: 0, authCallsPerWindow: 1_000_000 } });
service.query(
  "UPDATE rates SET suspended_at = '2026-11-01T00:00:00.000Z' WHERE base = 'EUR' AND quote = 'CHF'",
);
const ways = await readWaysOf(service);
after(async () => {
  ways[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});
const [customer, twin] = ways.twins.ample;
const read = plainRead(customer.apiKey);
const zeros = `svc_live_${"0".repeat(64)}`;

const withKey = (text: string) => (apiKey: string) => text.replaceAll("KEY", apiKey);
const withHeaders = (lines: string) =>
  [0, 2].map((at) => textOf({ at, line: lines.replaceAll("\n", "\r\n") }));
const withPair = (pair: string) => textOf({ start: `GET /v1/rates/${pair} HTTP/1.1` });
const withCredential = (key: string) => textOf({ key: `Authorization: ApiKey ${key}` });

/** Requests that the fast path serves, with what they get. */
const plain: readonly (readonly [what: string, status: number, units: 0 | 1, text: string])[] = [
  ["a rate", 200, 1, textOf({})],
  ["symbols in lower case", 200, 1, withPair("eur/uSd")],
  ["an unsupported pair", 404, 1, withPair("EUR/XXX")],
  ["a pair of which only the inverse is stored", 404, 1, withPair("USD/EUR")],
  ["a suspended pair", 503, 1, withPair("EUR/CHF")],
  ["an unknown key", 401, 0, withCredential(zeros)],
  ["a session's token as the key", 401, 0, withCredential(customer.session)],
  ["a key with one character too many", 401, 0, withCredential("KEY0")],
  ["any host that node:http accepts", 200, 1, textOf({ host: "host:[v1.a:b]:80" })],
  ["a call", 200, 1, callOf()],
  ["a call with an unknown key", 401, 0, callOf().replace("KEY", zeros)],
  ...Object.entries({ ...headersOf, "everybody at once": Object.values(headersOf).join("\n") })
    .flatMap(([who, lines]) => withHeaders(lines).map((text) => [who, text] as const))
    .map(([who, text]) => [`the headers of ${who}`, 200, 1, text] as const),
];

suite("the fast path sends node:http's response and charges the same units", () => {
  for (const [what, status, units, text] of plain) {
    test(`${what}: ${status}, ${units} units`, async () => {
      const outcome = await ways.trace(withKey(text), "ample");
      assert.deepEqual([outcome.isPlain, outcome.units], [true, units]);
      assert.match(outcome.text, new RegExp(`HTTP/1\\.1 ${status} `));
    });
  }

  for (const [situation, status] of [
    ["exhausted", 429],
    ["revoked", 401],
  ] as const) {
    test(`a key that is ${situation}: ${status}, uncharged`, async () => {
      const outcome = await ways.trace(plainRead, situation);
      assert.deepEqual([outcome.isPlain, outcome.units], [true, 0]);
      assert.match(outcome.text, new RegExp(`HTTP/1\\.1 ${status} `));
    });
  }

  test("over TLS, with Strict-Transport-Security, and with PUBLIC_URL in a link", async () => {
    await using secure = await startService({
      config: { publicUrl: "https://kurs.example", metricsPort: 0 },
    });
    using secureWays = await readWaysOf(secure);
    const { text, isPlain } = await secureWays.trace(plainRead, "ample");
    assert.equal(isPlain, true);
    assert.match(text, /\r\nstrict-transport-security: max-age=31536000\r\n/);
    const missing = await secureWays.trace(withKey(withPair("USD/EUR")), "ample");
    assert.match(
      missing.text,
      /\r\nlink: <https:\/\/kurs\.example\/guide\/sources#[^>]+>; rel="help"; title="EUR\/USD exists;/,
    );
  });

  test("503 when the store cannot charge and when it cannot read the rate", async () => {
    await using broken = await startService({ config: { metricsPort: 0 } });
    using brokenWays = await readWaysOf(broken);
    for (const [table, units] of [
      ["charged_units", 0],
      ["rates", 1],
    ] as const) {
      broken.query(`ALTER TABLE ${table} RENAME TO gone`);
      const outcome = await brokenWays.trace(plainRead, "ample");
      broken.query(`ALTER TABLE gone RENAME TO ${table}`);
      assert.deepEqual([outcome.isPlain, outcome.units], [true, units]);
      assert.match(outcome.text, /HTTP\/1\.1 503 /);
    }
  });

  test(`${oddReads.length} reads and ${oddCalls.length} calls with something unusual do, too`, async () => {
    let units = 0;
    for (const parts of oddReads)
      units += (await ways.compare(withKey(textOf(parts)), "ample")).units;
    assert.ok(units > oddReads.length / 4 && units < oddReads.length, `${units} units`);
    for (const text of oddCalls) await ways.compare(withKey(text), "ample");
  });

  const requests = runsOf(1000);

  // 6 CPU seconds: random requests find combinations that no table has.
  test(`${requests} reads with several unusual parts do, with keys of any state`, async () => {
    const situation = fc.constantFrom<Situation>("ample", "ample", "ample", "exhausted", "revoked");
    const servedBefore = await ways.servedFast();
    let units = 0;
    await fc.assert(
      fc.asyncProperty(someOddRead, situation, async (parts, where) => {
        units += (await ways.compare(withKey(textOf(parts)), where)).units;
      }),
      { numRuns: requests },
    );
    const served = (await ways.servedFast()) - servedBefore;
    for (const part of [served, requests - served, units]) {
      assert.ok(part > 0.05 * requests, `${served} plain, ${units} units`);
    }
  });
});

const get = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\nHost: kurs\r\n${headers}\r\n`;
const json = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

/** What follows on a connection: its statuses, how many of them the fast path serves, the units. */
const sequences: readonly (readonly [
  what: string,
  sent: string,
  statuses: readonly number[],
  served: number,
  units: number,
])[] = [
  ["an unsupported read", plainRead(customer.apiKey, "EUR/XXX"), [404], 2, 2],
  ["a suspended read", plainRead(customer.apiKey, "EUR/CHF"), [503], 2, 2],
  ["a request for the health", get("/healthz"), [200], 1, 1],
  ["a request of another path", get("/nowhere", "Via: 1.1 proxy\r\n"), [404], 1, 1],
  [
    "a read with a query",
    get("/v1/rates/EUR/USD?a=b", `Authorization: ApiKey ${twin.apiKey}\r\n`),
    [200],
    1,
    1,
  ],
  ["a rejected method", `DELETE /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\n\r\n`, [405], 1, 1],
  [
    "a log-in",
    json("/v1/auth/login", '{"email":"ada@example.org","password":"wrong"}'),
    [401],
    1,
    1,
  ],
  ["an empty body", json("/v1/auth/login", ""), [400], 1, 1],
  [
    "a chunked body",
    `${json("/v1/auth/login", "").replace("Content-Length: 0", "Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\n\r\n`,
    [400],
    0,
    1,
  ],
  ["two requests at once", get("/healthz").repeat(2), [200, 200], 0, 1],
  ["a body that looks like a request", json("/v1/auth/login", get("/healthz")), [400], 1, 1],
];

// A read's bytes are the value of the header X and what follows it.
test("a read as the start of another request's header is not served", async () => {
  using wire = await openWire(service.url);
  const before = ways.usedUnits(customer);
  wire.send(`${get("/healthz")}GET /healthz HTTP/1.1\r\nHost: kurs\r\nX: `);
  assert.equal((await wire.answer()).status, 200);
  await serverHasRead(service.url);
  wire.send(read);
  assert.equal((await wire.answer()).status, 400);
  assert.equal(ways.usedUnits(customer), before);
});

async function assertReads(wire: Wire): Promise<void> {
  wire.send(read);
  const answer = await wire.answer();
  assert.deepEqual([answer.status, answer.headers.connection], [200, "keep-alive"], answer.text);
}

suite("a read is served and charged once behind", () => {
  for (const [what, sent, statuses, served, units] of sequences) {
    test(`${what}; ${served} on the fast path`, async () => {
      const [unitsBefore, servedBefore] = [ways.usedUnits(customer), await ways.servedFast()];
      using wire = await openWire(service.url);
      await assertReads(wire);
      wire.send(sent);
      for (const status of statuses) assert.equal((await wire.answer()).status, status);
      await serverHasRead(service.url);
      await assertReads(wire);
      assert.equal(ways.usedUnits(customer) - unitsBefore, units + 1);
      assert.equal((await ways.servedFast()) - servedBefore, served + 1);
    });
  }
});
