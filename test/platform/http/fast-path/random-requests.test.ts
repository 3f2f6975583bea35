import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fc, runsOf } from "../../../support/properties.ts";
import { readWaysOf, type Situation } from "../../../support/read-both-ways.ts";
import { startService } from "../../../support/service.ts";
import { oddReads, type Parts, someOddRead, textOf } from "./odd-reads.ts";

// 6 CPU seconds: the fast path and node:http must send the same bytes and charge the same units for
// any request, and random ones find combinations that no table has.

const REQUESTS = runsOf(1000);

const service = await startService({ config: { metricsPort: 0, authCallsPerWindow: 1_000_000 } });
const ways = await readWaysOf(service);
after(async () => {
  ways[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

const compare = (parts: Parts, where: Situation) =>
  ways.compare((apiKey) => textOf(parts).replaceAll("KEY", apiKey), where);

test(`${oddReads.length} reads with something unusual get node:http's response and charge`, async () => {
  let units = 0;
  for (const parts of oddReads) units += (await compare(parts, "ample")).units;
  assert.ok(units > oddReads.length / 4 && units < oddReads.length, `${units} units`);
});

test(`${REQUESTS} reads with several unusual parts do, too, with keys of any state`, async () => {
  const situation = fc.constantFrom<Situation>("ample", "ample", "ample", "exhausted", "revoked");
  const servedBefore = await ways.servedFast();
  let units = 0;

  await fc.assert(
    fc.asyncProperty(someOddRead, situation, async (parts, where) => {
      units += (await compare(parts, where)).units;
    }),
    { numRuns: REQUESTS },
  );

  const plain = (await ways.servedFast()) - servedBefore;
  for (const part of [plain, REQUESTS - plain, units]) {
    assert.ok(part > 0.05 * REQUESTS, `${plain} plain, ${units} units`);
  }
});
