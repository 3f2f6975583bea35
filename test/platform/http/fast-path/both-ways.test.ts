import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { comparable, openWire, plainRead, type Wire } from "../../../support/raw-connection.ts";
import {
  openNodeWire,
  readWaysOf,
  type Situation,
  serverHasRead,
} from "../../../support/read-both-ways.ts";
import { startService } from "../../../support/service.ts";
import { headersOf } from "./real-headers.ts";

// A read in its plainest form bypasses node:http (docs/decisions/0009). node:http itself is the
// reference: either way must send the same bytes and charge the same units.

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

/** @returns a function that returns the units charged since this call. */
function countUnits(): () => number {
  const before = ways.usedUnits(customer);
  return () => ways.usedUnits(customer) - before;
}

async function assertReads(wire: Wire): Promise<void> {
  wire.send(read);
  const answer = await wire.answer();
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.text, /^\{"base":"EUR","quote":"USD",/);
}

const START = "GET /v1/rates/EUR/USD HTTP/1.1";
const HOST = "Host: kurs";
const KEY = "Authorization: ApiKey KEY";
const zeros = "0".repeat(64);
const asKey = (key: string) => [START, HOST, `Authorization: ApiKey ${key}`];
const ofPair = (pair: string) => [`GET /v1/rates/${pair} HTTP/1.1`, HOST, KEY];

/** Reads that the fast path serves. */
const plain: readonly (readonly [
  what: string,
  status: number,
  units: 0 | 1,
  lines: readonly string[],
])[] = [
  ["a rate", 200, 1, [START, HOST, KEY]],
  ["symbols in lower case", 200, 1, ofPair("eur/uSd")],
  ["an unsupported pair", 404, 1, ofPair("EUR/XXX")],
  ["a suspended pair", 503, 1, ofPair("EUR/CHF")],
  ["an unknown key", 401, 0, asKey(`svc_live_${zeros}`)],
  ["a session's token as the key", 401, 0, asKey(customer.session)],
  ["a key in upper case", 401, 0, asKey(customer.apiKey.toUpperCase())],
  ["a key with one character too many", 401, 0, asKey(`${customer.apiKey}0`)],
  [
    "the headers of everybody at once",
    200,
    1,
    [START, HOST, KEY, ...Object.values(headersOf).flat()],
  ],
  ...Object.entries(headersOf).flatMap(([who, headers]) => [
    [`the headers of ${who}`, 200, 1, [START, HOST, ...headers, KEY]] as const,
    [`the headers of ${who}, behind the key`, 200, 1, [START, HOST, KEY, ...headers]] as const,
  ]),
];

const textOf =
  (lines: readonly string[], body = "") =>
  (apiKey: string) =>
    `${[...lines, "", ""].join("\r\n")}${body}`.replaceAll("KEY", apiKey);

suite("the fast path sends node:http's response and charges the same units", () => {
  for (const [what, status, units, lines] of plain) {
    test(`${what}: ${status}, ${units} units`, async () => {
      const outcome = await ways.trace(textOf(lines), "ample");
      assert.deepEqual([outcome.isPlain, outcome.units], [true, units]);
      assert.match(outcome.text, new RegExp(`HTTP/1\\.1 ${status} `));
    });
  }

  const rejected: readonly (readonly [Situation, number])[] = [
    ["exhausted", 429],
    ["revoked", 401],
  ];
  for (const [situation, status] of rejected) {
    test(`a key that is ${situation}: ${status}, uncharged`, async () => {
      const outcome = await ways.trace(plainRead, situation);
      assert.deepEqual([outcome.isPlain, outcome.units], [true, 0]);
      assert.match(outcome.text, new RegExp(`HTTP/1\\.1 ${status} `));
    });
  }

  test("over TLS, with Strict-Transport-Security", async () => {
    await using secure = await startService({
      config: { publicUrl: "https://kurs.example", metricsPort: 0 },
    });
    using secureWays = await readWaysOf(secure);
    const { text, isPlain } = await secureWays.trace(plainRead, "ample");
    assert.equal(isPlain, true);
    assert.match(text, /\r\nstrict-transport-security: max-age=31536000\r\n/);
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

  test("each read logs one line with its route, its account and the key's prefix only", async () => {
    for (const open of [openWire, openNodeWire]) {
      using wire = await open(service.url);
      wire.send(read);
      const { headers } = await wire.answer();
      const lines = service.logLines.flatMap((text) => text.trimEnd().split("\n"));
      const own = lines.filter((line) => line.includes(String(headers["x-request-id"])));
      const told = own.map((line) => JSON.parse(line) as Record<string, unknown>);
      const [{ duration_us: durationUs, ...line } = {}] = told;
      assert.equal(typeof durationUs, "number");
      const caller = { key_prefix: customer.apiKey.slice(0, 17), account_id: customer.accountId };
      const fixed = { level: "info", method: "GET", route: "/v1/rates/:base/:quote", status: 200 };
      const time = "2026-11-21T12:00:00.000Z";
      assert.deepEqual(line, { ...fixed, time, request_id: headers["x-request-id"], ...caller });
      assert.equal(told.length, 1);
    }
  });
});

const json = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\n${HOST}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;
const get = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\n${HOST}\r\n${headers}\r\n`;
const logIn = json("/v1/auth/login", '{"email":"ada@example.org","password":"wrong password"}');

/** Requests after which the connection's next byte is known to begin a request, and their units. */
const whole: readonly (readonly [what: string, status: number, request: string, units?: number])[] =
  [
    ["a read with an unknown key", 401, plainRead(`svc_live_${zeros}`)],
    ["a read with an exhausted key", 429, plainRead(ways.twins.exhausted[0].apiKey)],
    ["an unsupported read", 404, plainRead(customer.apiKey, "EUR/XXX"), 1],
    ["a suspended read", 503, plainRead(customer.apiKey, "EUR/CHF"), 1],
    ["a request for the health", 200, get("/healthz")],
    ["a request of another path", 404, get("/nowhere", "Via: 1.1 proxy\r\n")],
    [
      "a read with a query",
      200,
      get("/v1/rates/EUR/USD?a=b", `${KEY.replace("KEY", twin.apiKey)}\r\n`),
    ],
    ["a usage without a session", 401, get("/v1/account/usage")],
    ["a preflight", 405, `OPTIONS /v1/rates/EUR/USD HTTP/1.1\r\n${HOST}\r\nOrigin: a\r\n\r\n`],
    ["a rejected method", 405, `DELETE /v1/rates/EUR/USD HTTP/1.1\r\n${HOST}\r\n\r\n`],
    ["a log-in", 401, logIn],
    ["an empty body", 400, json("/v1/auth/login", "")],
    ["malformed JSON", 400, json("/v1/auth/login", "{")],
  ];

suite("after another request, a read is served on the fast path, and charged once:", () => {
  for (const [what, status, request, cost = 0] of whole) {
    test(what, async () => {
      const [units, servedBefore] = [countUnits(), await ways.servedFast()];
      const isFast = request.startsWith("GET /v1/rates/") && !request.includes("?");
      using wire = await openWire(service.url);
      for (let times = 0; times < 3; times += 1) {
        wire.send(request);
        const answer = await wire.answer();
        assert.deepEqual([answer.status, answer.headers.connection], [status, "keep-alive"]);
        await assertReads(wire);
      }
      const served = isFast ? 6 : 3;
      assert.deepEqual([await ways.servedFast(), units()], [servedBefore + served, 3 * (1 + cost)]);
    });
  }

  const body = "a".repeat(64);
  const bodyStart = logIn.indexOf("\r\n\r\n") + 4;
  for (const [what, status, parts] of [
    [
      "in parts, its body byte by byte",
      401,
      [logIn.slice(0, bodyStart), ...logIn.slice(bodyStart)],
    ],
    [
      "whose response comes before its body",
      200,
      [get("/healthz", `Content-Length: 64\r\n`), body],
    ],
  ] as const) {
    test(`one ${what}`, async () => {
      const servedBefore = await ways.servedFast();
      using wire = await openWire(service.url);
      await assertReads(wire);
      for (const part of parts) {
        wire.send(part);
        await serverHasRead(service.url);
      }
      assert.equal((await wire.answer()).status, status);
      await assertReads(wire);
      assert.equal(await ways.servedFast(), servedBefore + 2);
    });
  }
});

suite("after a request whose end only node:http knows, it serves the connection for good:", () => {
  const chunked =
    `POST /v1/auth/login HTTP/1.1\r\n${HOST}\r\nContent-Type: application/json\r\n` +
    "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
  // A read's bytes are the value of the header X and what follows it.
  const begun = `${get("/healthz")}GET /healthz HTTP/1.1\r\n${HOST}\r\nX: `;
  for (const [what, statuses, request, rest] of [
    ["a chunked body", [400], chunked, ""],
    ["two requests at once", [200, 200], get("/healthz") + get("/healthz"), ""],
    ["a request and the start of another", [200, 200], begun, "a\r\n\r\n"],
    ["a request, and a read as the start of another's header", [200, 400], begun, read],
  ] as const) {
    test(what, async () => {
      const [units, servedBefore] = [countUnits(), await ways.servedFast()];
      using wire = await openWire(service.url);
      await assertReads(wire);
      wire.send(request);
      const [status, ...more] = statuses;
      assert.equal((await wire.answer()).status, status);
      await serverHasRead(service.url);
      if (rest !== "") wire.send(rest);
      for (const other of more) assert.equal((await wire.answer()).status, other);
      const isOver = rest === read;
      if (!isOver) await assertReads(wire);
      assert.deepEqual([await ways.servedFast(), units()], [servedBefore + 1, isOver ? 1 : 2]);
    });
  }
});

test("a read cut in two at any byte gets the same response and costs one unit", async () => {
  using uncut = await openWire(service.url);
  uncut.send(read);
  await uncut.untilBytes(1);
  const expected = comparable(uncut.received());
  const units = countUnits();

  for (let cut = 1; cut < read.length; cut += 1) {
    using wire = await openWire(service.url);
    wire.send(read.slice(0, cut));
    await serverHasRead(service.url);
    assert.deepEqual([wire.received(), units()], ["", cut - 1]);
    wire.send(read.slice(cut));
    await wire.untilBytes(uncut.received().length);
    assert.equal(comparable(wire.received()), expected, `cut at ${cut}`);
  }
});

test("several reads in one packet are all served, in order", async () => {
  using wire = await openWire(service.url);
  const units = countUnits();
  const pairs = ["EUR/USD", "EUR/GBP", "EUR/XXX", "EUR/JPY"];
  wire.send(pairs.map((pair) => plainRead(customer.apiKey, pair)).join(""));
  for (const pair of pairs) {
    const { status, text } = await wire.answer();
    assert.equal(status, pair === "EUR/XXX" ? 404 : 200);
    if (status === 200) assert.match(text, new RegExp(`"quote":"${pair.slice(4)}"`));
  }
  assert.equal(units(), pairs.length);
});
