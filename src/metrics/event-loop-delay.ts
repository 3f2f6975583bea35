import { Buckets } from "./histogram.ts";

/** How often the loop is asked how late it is: 0.2 % of a core while it idles, at 20 ms 0.9 %. */
const ASK_INTERVAL_MS = 100;

const DELAY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** How late the event loop comes to what is due. Disposing ends the asking. */
export interface EventLoopDelay extends Disposable {
  readonly seconds: Buckets;
}

/**
 * A timer of its own, whose delays are counted by bounds for as long as the process runs. The
 * percentiles of `monitorEventLoopDelay` are forgotten at each reading, so that of two readers each
 * would see a part, and those of several nodes could not be joined.
 */
export function watchEventLoop(): EventLoopDelay {
  const seconds = new Buckets(DELAY_SECONDS);
  let dueMs = performance.now() + ASK_INTERVAL_MS;
  const ask = () => {
    const nowMs = performance.now();
    seconds.observe(Math.max(0, nowMs - dueMs) / 1000);
    dueMs = nowMs + ASK_INTERVAL_MS;
  };
  const asking = setInterval(ask, ASK_INTERVAL_MS).unref();
  return { seconds, [Symbol.dispose]: () => clearInterval(asking) };
}
