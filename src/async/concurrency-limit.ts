/** Lets work pass, at most a number of pieces at a time; the rest waits in order of arrival. */
export interface ConcurrencyLimit {
  pass<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Turns away what waits, and from now on all that would have to wait. */
  close(): void;
  /** Pieces of work that wait now. */
  waiting(): number;
  /** Pieces that were turned away, since the beginning. */
  refused(): number;
}

/** What one piece of work took counts so much in the mean, which then tells of the last dozen. */
const WEIGHT_OF_ONE = 0.15;

export interface ConcurrencyLimits {
  readonly atOnce: number;
  /** At most so many wait. */
  readonly waiting?: number;
  /** Nobody waits who would, by what pieces of work took of late, have to wait longer than this. */
  readonly waitMs?: number;
  /** Is thrown, before any work, when nobody more may wait. */
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
  const note = (tookMs: number) => {
    meanMs += (tookMs - meanMs) * WEIGHT_OF_ONE;
  };
  // As many as are worked on at once may wait in any case: or a slow piece would shut the rest out.
  const isFull = () =>
    isClosed ||
    waiting.length >= waitingMax ||
    (waiting.length >= atOnce && (waiting.length / atOnce) * meanMs > waitMs);

  return {
    async pass(work) {
      if (free > 0) free -= 1;
      else if (isFull()) {
        refused += 1;
        throw whenFull;
      } else {
        const turn = Promise.withResolvers<void>();
        waiting.push(turn);
        await turn.promise;
      }
      const startMs = performance.now();
      try {
        return await work();
      } finally {
        note(performance.now() - startMs);
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
