/** The weight of one run time in the moving mean, which then covers about the last dozen tasks. */
const WEIGHT_OF_ONE = 0.15;

export interface ConcurrencyLimits {
  /** How many tasks run at a time. */
  readonly concurrency: number;
  /** The most tasks that wait; unset: no limit. */
  readonly maxQueued?: number;
  /** Rejects a task whose expected wait, estimated from recent run times, is longer than this. */
  readonly maxWaitMs?: number;
  /** Thrown, before any work, when no more tasks may wait. */
  readonly rejection: Error;
}

/** Runs a limited number of tasks at a time; the others wait in order of arrival. */
export function createConcurrencyLimit(limits: ConcurrencyLimits) {
  const { concurrency, rejection } = limits;
  const { maxQueued = Number.POSITIVE_INFINITY, maxWaitMs = Number.POSITIVE_INFINITY } = limits;
  const waiting: PromiseWithResolvers<void>[] = [];
  let isClosed = false;
  let free = concurrency;
  let rejected = 0;
  let meanMs = 0;
  const recordRunTime = (tookMs: number) => {
    meanMs += (tookMs - meanMs) * WEIGHT_OF_ONE;
  };
  // As many tasks may always wait as run at once; otherwise one slow task would reject all others.
  const isFull = () =>
    waiting.length >= maxQueued ||
    (waiting.length >= concurrency && (waiting.length / concurrency) * meanMs > maxWaitMs);

  return {
    async run<Result>(task: () => Promise<Result>): Promise<Result> {
      if (isClosed || (free === 0 && isFull())) {
        rejected += 1;
        throw rejection;
      }
      if (free > 0) free -= 1;
      else {
        const slot = Promise.withResolvers<void>();
        waiting.push(slot);
        await slot.promise;
      }
      const startMs = performance.now();
      try {
        return await task();
      } finally {
        recordRunTime(performance.now() - startMs);
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next.resolve();
      }
    },
    /** Rejects the tasks that wait, and from now on every other; running tasks continue. */
    close() {
      isClosed = true;
      rejected += waiting.length;
      for (const { reject } of waiting.splice(0)) reject(rejection);
    },
    /** The number of tasks that wait now. */
    waiting: () => waiting.length,
    /** The number of tasks rejected so far. */
    rejected: () => rejected,
  };
}
