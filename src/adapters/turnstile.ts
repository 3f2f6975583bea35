/** Lets work pass, at most a number of pieces at a time; the rest waits in order of arrival. */
export type Turnstile = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** @param whenFull is thrown, before any work, when already as many wait as may. */
export function createTurnstile(limits: {
  readonly atOnce: number;
  readonly waiting: number;
  readonly whenFull: Error;
}): Turnstile {
  const waiting: (() => void)[] = [];
  let free = limits.atOnce;

  return async (work) => {
    if (free > 0) free -= 1;
    else if (waiting.length >= limits.waiting) throw limits.whenFull;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
