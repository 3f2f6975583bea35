import assert from "node:assert/strict";
import { after, test } from "node:test";
import { someOddRead } from "../../support/odd-reads.ts";
import { fc, runsOf } from "../../support/properties.ts";
import { readWaysOf, type Situation } from "../../support/read-both-ways.ts";
import { startService } from "../../support/service.ts";

// 6 CPU seconds: the fast path and node:http must send the same bytes and charge the same units for
// any request, and random requests find what no table has.

const REQUESTS = runsOf(2000);

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
