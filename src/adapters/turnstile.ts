/** Lets work pass, at most a number of pieces at a time; the rest waits in order of arrival. */
export interface Turnstile {
  pass<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Pieces of work that wait now. */
  waiting(): number;
  /** Pieces that were turned away, since the beginning. */
  refused(): number;
}

/** @param whenFull is thrown, before any work, when already as many wait as may. */
export function createTurnstile(limits: {
  readonly atOnce: number;
  readonly waiting: number;
  readonly whenFull: Error;
}): Turnstile {
  const waiting: (() => void)[] = [];
  let free = limits.atOnce;
  let refused = 0;

  return {
    async pass(work) {
      if (free > 0) free -= 1;
      else if (waiting.length >= limits.waiting) {
        refused += 1;
        throw limits.whenFull;
      } else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
    waiting: () => waiting.length,
    refused: () => refused,
  };
}
