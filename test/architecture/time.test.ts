import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, placesOf, sourcesIn } from "./tree.ts";

// A test that has an opinion about how fast the machine is fails on another one. What needs real
// time is a trial; the helpers that wait for a condition, in test/support, wait for minutes.

/** Mocked timers and turns of the event loop are no real time. */
const realTime =
  /(?<![.\w])(?:setTimeout|setInterval)\s*\(|\bperformance\.(?:now|timeOrigin)\b(?!\.bind)|\bhrtime\b|\bwaitForTimeout\(/g;

const sleeps = /import \{[^}]*\bset(?:Timeout|Interval)\b[^}]*\} from "node:timers\/promises"/g;

/** An assertion on how long something took. */
const timedAssertion = /\bassert\b[^;]*?\b(?:took|waited|elapsed|lasted)\w*/g;

const files = sourcesIn("test").filter(
  ({ path }) => !/^test\/(?:support\/|run\.ts$|architecture\/time\.test\.ts$)/.test(path),
);

test("no test sleeps, measures a time or has an opinion about one", () => {
  assert.ok(files.length > 100, `only ${files.length} files`);
  assert.deepEqual(placesOf(files, realTime), []);
  const importing = files.map((file) => ({ ...file, code: file.text }));
  assert.deepEqual(placesOf(importing, sleeps), []);
  assert.deepEqual(placesOf(files, timedAssertion), []);
});

test("the scan finds times of every form", () => {
  const found = (text: string) =>
    [realTime, sleeps, timedAssertion].flatMap((pattern) => [
      ...(pattern === sleeps ? text : codeOf(text)).matchAll(pattern),
    ]).length;
  for (const text of [
    "setTimeout(done, 100);",
    "const sinceMs = performance.now();",
    'import { setTimeout as pause } from "node:timers/promises";',
    "assert.ok(tookMs < 500);",
    "await page.waitForTimeout(50);",
  ]) {
    assert.equal(found(text), 1, text);
  }
  assert.equal(found("const now = performance.now.bind(performance);"), 0);
  assert.equal(found('t.mock.timers.enable({ apis: ["setTimeout"] });'), 0);
});
