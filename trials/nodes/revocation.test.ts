import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { rejections, runRevocationTrials } from "./revocation-trials.ts";

const TRIALS = 200;

async function assertNoneLate(t: TestContext, rejection: keyof typeof rejections) {
  const report = await runRevocationTrials(TRIALS, rejections[rejection]);

  assert.deepEqual(report.late, []);
  assert.equal(report.trials, TRIALS);
  assert.ok(report.answered >= TRIALS, "a key was rejected before the other node had read with it");
  assert.ok(report.rejected >= 3 * TRIALS);
  assert.equal(report.chargedUnits, report.answered);
  assert.deepEqual(report.complaints, []);
  t.diagnostic(JSON.stringify(report));
}

test("a key revoked through one node is rejected by another in every read after the 204", (t) =>
  assertNoneLate(t, "console"));

test("a burned key is rejected by every node in every read after the burn", (t) =>
  assertNoneLate(t, "burn"));

test("a suspended account's key is rejected by every node in every read after the command", (t) =>
  assertNoneLate(t, "suspend"));
