/** Runs a limited number of tasks at a time; the others wait in order of arrival. */
export interface ConcurrencyLimit {
  pass<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Rejects the tasks that wait, and from now on every other; those that run go on. */
  close(): void;
  /** Tasks that wait now. */
  waiting(): number;
  /** Tasks rejected so far. */
  refused(): number;
}

/** The weight of one run time in the moving mean, which then covers about the last dozen tasks. */
const WEIGHT_OF_ONE = 0.15;

export interface ConcurrencyLimits {
  readonly atOnce: number;
  /** The most tasks that wait. */
  readonly waiting?: number;
  /** Rejects a task whose expected wait, estimated from recent run times, is longer than this. */
  readonly waitMs?: number;
  /** Thrown, before any work, when no more tasks may wait. */
  readonly whenFull: Error;
}

export function createConcurrencyLimit(limits: ConcurrencyLimits): ConcurrencyLimit {
  const { atOnce, whenFull } = limits;
  const { waiting: waitingMax = Number.POSITIVE_INFINITY } = limits;
  const { waitMs = Number.POSITIVE_INFINITY } = limits;
  const waiting: PromiseWithResolvers<void>[] = [];
  let isClosed = false;
  let free = atOnce;
  let refused = 0;
  let meanMs = 0;
  const recordRunTime = (tookMs: number) => {
    meanMs += (tookMs - meanMs) * WEIGHT_OF_ONE;
  };
  // As many tasks may always wait as run at once; otherwise one slow task would reject all others.
  const isFull = () =>
    waiting.length >= waitingMax ||
    (waiting.length >= atOnce && (waiting.length / atOnce) * meanMs > waitMs);

  return {
    async pass(work) {
      if (isClosed || (free === 0 && isFull())) {
        refused += 1;
        throw whenFull;
      }
      if (free > 0) free -= 1;
      else {
        const slot = Promise.withResolvers<void>();
        waiting.push(slot);
        await slot.promise;
      }
      const startMs = performance.now();
      try {
        return await work();
      } finally {
        recordRunTime(performance.now() - startMs);
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next.resolve();
      }
    },
    close() {
      isClosed = true;
      refused += waiting.length;
      for (const { reject } of waiting.splice(0)) reject(whenFull);
    },
    waiting: () => waiting.length,
    refused: () => refused,
  };
}
