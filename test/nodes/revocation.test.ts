import assert from "node:assert/strict";
import { test } from "node:test";
import { runRevocationTrials } from "./revocation-trials.ts";

const TRIALS = 500;

test("a key revoked through one node is rejected by another in every read after the 204", async (t) => {
  const report = await runRevocationTrials(TRIALS);

  assert.deepEqual(report.late, []);
  assert.equal(report.trials, TRIALS);
  assert.ok(report.answered >= TRIALS, "a key was revoked before the other node had read with it");
  assert.ok(report.refused >= 3 * TRIALS);
  assert.equal(report.chargedUnits, report.answered);
  assert.deepEqual(report.complaints, []);
  t.diagnostic(JSON.stringify(report));
});
