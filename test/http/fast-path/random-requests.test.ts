import assert from "node:assert/strict";
import { after, test } from "node:test";
import { someOddRead } from "../../support/odd-reads.ts";
import { fc, runsOf } from "../../support/properties.ts";
import { openWire, plainRead, type WireAnswer } from "../../support/raw-connection.ts";
import { openNodeWire, readWaysOf, type Situation } from "../../support/read-both-ways.ts";
import { startService } from "../../support/service.ts";

// 6 CPU seconds: the fast path and node:http must send the same bytes and charge the same units for
// any request, and random requests find what no table has.

const REQUESTS = runsOf(2000);
const SEQUENCES = Math.ceil(REQUESTS / 7);

const service = await startService({ config: { metricsPort: 0, authCallsPerWindow: 1_000_000 } });
const ways = await readWaysOf(service);
after(async () => {
  ways[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
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

const logIn = '{"email":"ada@example.org","password":"wrong password"}';
const others = [
  ["GET", "/healthz"],
  ["GET", "/v1/rates/EUR/USD?a=b"],
  ["DELETE", "/v1/rates/EUR/USD"],
  ["POST", "/v1/auth/login", logIn],
  ["POST", "/v1/auth/login", "{"],
].map(([method, path, body = ""]) => (apiKey: string) => {
  const head = `${method} ${path} HTTP/1.1\r\nHost: kurs\r\nAuthorization: ApiKey ${apiKey}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
});

test(`${SEQUENCES} random sequences on one connection get node:http's responses and charges`, async () => {
  const [customer, twin] = ways.twins.ample;
  const requestOf = fc.oneof(
    { weight: 2, arbitrary: fc.constant(plainRead) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
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
        if (one === plainRead) reads += 1;
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
function shapeOf({ status, text, lines }: WireAnswer) {
  const names = lines.map((line) => line.split(":", 1)[0]);
  return { status, names, text: text.replace(/"request_id":"[^"]*"/, "") };
}
