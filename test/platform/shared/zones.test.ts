import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

/** The tests of all code that computes with dates. */
const FILES = [
  join(import.meta.dirname, "../../customers/billing/rules.test.ts"),
  join(import.meta.dirname, "instant.test.ts"),
  join(import.meta.dirname, "../../rates/sources/rules/publication-time.test.ts"),
  join(import.meta.dirname, "../../rates/sources/fetching/schedule.test.ts"),
  join(import.meta.dirname, "../../rates/sources/publishers/holidays.test.ts"),
];

const run = promisify(execFile);

/** Eleven hours behind UTC and fourteen hours ahead of it: the dates always differ. */
const ZONES = [
  ["west", "Pacific/Pago_Pago"],
  ["east", "Pacific/Kiritimati"],
] as const;

for (const [where, zone] of ZONES) {
  test(`dates are the same on a machine with a time zone far ${where} of UTC`, async () => {
    // One process for all files. Rejects with the output if a test fails.
    const how = ["--test", "--test-isolation=none", "--test-reporter=tap"];
    const { stdout } = await run(process.execPath, [...how, ...FILES], { env: { TZ: zone } });

    assert.match(stdout, /^# fail 0$/m);
    assert.match(stdout, /^# pass [1-9]/m);
  });
}
