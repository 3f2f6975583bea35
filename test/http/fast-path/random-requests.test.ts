import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { someOddRead } from "../../support/odd-reads.ts";
import { fc, runsOf } from "../../support/properties.ts";
import { openWire } from "../../support/raw-connection.ts";
import { readWaysOf, type Situation } from "../../support/read-both-ways.ts";
import { startService } from "../../support/service.ts";

// The fast path and node:http must send the same bytes and charge the same units for any request.

const REQUESTS = runsOf(2000);

const service = await startService({ config: { metricsPort: 0 } });
const ways = await readWaysOf(service);
after(async () => {
  ways[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

const withLines =
  (start: string, ...lines: readonly string[]) =>
  (apiKey: string) =>
    [start, ...lines, "", ""].join("\r\n").replaceAll("KEY", apiKey);

const START = "GET /v1/rates/EUR/USD HTTP/1.1";
const HOST = "Host: kurs";
const CREDENTIAL = "Authorization: ApiKey KEY";
const behind = (apiKey: string) => withLines(START, HOST, CREDENTIAL)(apiKey);

const oddities: readonly (readonly [what: string, ...lines: readonly string[]])[] = [
  ["a method in lower case", "get /v1/rates/EUR/USD HTTP/1.1", HOST, CREDENTIAL],
  ["a path in upper case", "GET /V1/RATES/EUR/USD HTTP/1.1", HOST, CREDENTIAL],
  ["a version in lower case", "GET /v1/rates/EUR/USD http/1.1", HOST, CREDENTIAL],
  ["a scheme in lower case", START, HOST, "authorization: apikey KEY"],
  ["two spaces before the key", START, HOST, "Authorization: ApiKey  KEY"],
  ["a space behind the key", START, HOST, `${CREDENTIAL} `],
  ["two spaces before the scheme", START, HOST, "Authorization:  ApiKey KEY"],
  ["two keys", START, HOST, CREDENTIAL, CREDENTIAL],
  ["a wrong key before the key", START, HOST, "Authorization: ApiKey x", CREDENTIAL],
  ["a session before the key", START, HOST, "Authorization: Session KEY", CREDENTIAL],
  ["no key", START, HOST],
  ["an empty key", START, HOST, "Authorization: ApiKey "],
  ["no Host", START, CREDENTIAL],
  ["an empty Host", START, "Host:", CREDENTIAL],
  ["two Hosts", START, HOST, "Host: other", CREDENTIAL],
  ["an origin", START, HOST, "Origin: https://page.example", CREDENTIAL],
  ["a length of 0", START, HOST, CREDENTIAL, "Content-Length: 0"],
  ["a length of 5, and no body yet", START, HOST, CREDENTIAL, "Content-Length: 5"],
  [
    "a length of 5, no Host, and Connection: close",
    ...[START, CREDENTIAL, "Content-Length: 5", "Connection: close"],
  ],
  [
    "a length of 5, no body yet, an unknown path and two connection options",
    ...["GET /V1/rates/EUR/USD HTTP/1.1", HOST, CREDENTIAL],
    ...["Connection: keep-alive, close", "Content-Length: 5"],
  ],
  ["Connection: close", START, HOST, CREDENTIAL, "Connection: close"],
  ["Proxy-Connection: close", START, HOST, CREDENTIAL, "Proxy-Connection: close"],
  ["Connection: keep-alive", START, HOST, CREDENTIAL, "Connection: keep-alive"],
  ["Connection: Keep-Alive", START, HOST, CREDENTIAL, "Connection: Keep-Alive"],
  ["HTTP/1.0", "GET /v1/rates/EUR/USD HTTP/1.0", HOST, CREDENTIAL],
  ["HEAD", "HEAD /v1/rates/EUR/USD HTTP/1.1", HOST, CREDENTIAL],
  ["a query", "GET /v1/rates/EUR/USD?a=b HTTP/1.1", HOST, CREDENTIAL],
  ["an escape", "GET /v1/rates/%45UR/USD HTTP/1.1", HOST, CREDENTIAL],
  ["bytes beyond ASCII", START, HOST, "User-Agent: \u00e4", CREDENTIAL],
  ["a tab", START, HOST, "User-Agent: a\tb", CREDENTIAL],
  ["many headers", START, HOST, ...new Array<string>(200).fill("via: a"), CREDENTIAL],
];

suite("a read with something unusual gets node:http's response and charge", () => {
  for (const [what, start = "", ...lines] of oddities) {
    test(what, async () => {
      await ways.compare(withLines(start, ...lines), "ample");
    });
  }
});

const smuggled = behind("KEY");
const smugglings: readonly (readonly [what: string, units: number, text: string])[] = [
  ["in a body with a Content-Length", 1, `Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`],
  ["behind a length of 0", 2, `Content-Length: 0\r\n\r\n${smuggled}`],
  [
    "behind chunks, after a Content-Length",
    0,
    `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    "behind chunks, before a Content-Length",
    0,
    `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  ["behind a folded line", 0, `User-Agent: a\r\n folded\r\n\r\n${smuggled}`],
  ["behind two lengths", 0, `Content-Length: 0\r\nContent-Length: 5\r\n\r\n${smuggled}`],
  ["behind a bare line feed", 0, `User-Agent: a\n\n${smuggled}`],
  ["behind a space before the colon", 0, `Content-Length : 5\r\n\r\n${smuggled}`],
];

suite("a read hidden in another request is treated as node:http treats it", () => {
  for (const [what, units, text] of smugglings) {
    const requestOf = (apiKey: string) =>
      `${START}\r\n${HOST}\r\n${CREDENTIAL}\r\n${text}`.replaceAll("KEY", apiKey);

    test(what, async () => {
      const outcome = await ways.trace(requestOf, "ample");
      assert.equal(outcome.isPlain, false);
      assert.equal(outcome.units, units);
    });

    test(`${what}, after a read on the fast path`, async () => {
      const [customer] = ways.twins.ample;
      const before = ways.usedUnits(customer);
      using wire = await openWire(service.url);
      wire.send(behind(customer.apiKey));
      assert.equal((await wire.answer()).status, 200);
      wire.send(`${requestOf(customer.apiKey)}GET / HTTP/9\r\n\r\n`);
      await wire.untilEnd();
      assert.equal(ways.usedUnits(customer) - before, 1 + units);
    });
  }
});

test(`${REQUESTS} random requests get the same responses and charges on both paths`, async () => {
  const situation = fc.constantFrom<Situation>("ample", "ample", "ample", "exhausted", "revoked");
  const count = { plain: 0, other: 0, units: 0 };
  const servedBefore = await ways.servedFast();

  await fc.assert(
    fc.asyncProperty(someOddRead, situation, async (requestOf, where) => {
      count.units += (await ways.compare(requestOf, where)).units;
    }),
    { numRuns: REQUESTS },
  );

  count.plain = (await ways.servedFast()) - servedBefore;
  count.other = REQUESTS - count.plain;
  for (const part of Object.values(count)) {
    assert.ok(part > 0.1 * REQUESTS, JSON.stringify(count));
  }
});
