import { Buckets } from "./histogram.ts";

/** How often the delay is sampled: 0.2 % of a core while the loop idles, at 20 ms 0.9 %. */
const SAMPLE_INTERVAL_MS = 100;

const DELAY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** How late the event loop runs a due timer. Disposing stops the sampling. */
export interface EventLoopDelay extends Disposable {
  readonly seconds: Buckets;
}

/**
 * A separate timer, whose delays are counted in buckets while the process runs. The percentiles of
 * `monitorEventLoopDelay` are reset at each reading, so that each of two readers would see a part,
 * and those of several nodes could not be aggregated.
 */
export function watchEventLoop(): EventLoopDelay {
  const seconds = new Buckets(DELAY_SECONDS);
  let dueMs = performance.now() + SAMPLE_INTERVAL_MS;
  const sample = () => {
    const nowMs = performance.now();
    seconds.observe(Math.max(0, nowMs - dueMs) / 1000);
    dueMs = nowMs + SAMPLE_INTERVAL_MS;
  };
  const sampling = setInterval(sample, SAMPLE_INTERVAL_MS).unref();
  return { seconds, [Symbol.dispose]: () => clearInterval(sampling) };
}
