import assert from "node:assert/strict";
import { test } from "node:test";
import { watchEventLoop } from "../../../src/operations/metrics/event-loop-delay.ts";

test("the event loop's delay is that of one timer: the next ones are not late because of it", (t) => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  t.mock.timers.enable({ apis: ["setInterval"] });
  using delay = watchEventLoop();
  for (const passedMs of [350, 100, 100]) {
    nowMs += passedMs;
    t.mock.timers.tick(100);
  }
  assert.equal(delay.seconds.sum, 0.25);
});
