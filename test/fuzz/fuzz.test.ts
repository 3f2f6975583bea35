import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzz } from "./run.ts";
import { engines } from "./target.ts";

// A small, fixed number for every test run; npm run fuzz sends any number.

const SEED = 20_261_121;
const REQUESTS = { sqlite: 3000, postgres: 1000 };

for (const engine of engines) {
  test(`${REQUESTS[engine]} valid and invalid requests get the documented responses, on ${engine}`, async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const report = await fuzz({ requests: REQUESTS[engine], seed: SEED, engine });

    assert.deepEqual(report.findings, []);
    assert.ok(report.unitsCharged > 20, `${report.unitsCharged} units`);
    const statuses = new Set([...report.counts.values()].flatMap((counts) => [...counts.keys()]));
    for (const status of [200, 201, 202, 204, 400, 401, 404, 405, 413, 415, 429, 503]) {
      assert.ok(statuses.has(String(status)), `no response had status ${status}`);
    }
  });
}
