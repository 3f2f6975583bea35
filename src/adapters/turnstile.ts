/** Lets work pass, at most a number of pieces at a time; the rest waits in order of arrival. */
export type Turnstile = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTurnstile(atOnce: number): Turnstile {
  const waiting: (() => void)[] = [];
  let free = atOnce;

  return async (work) => {
    if (free > 0) free -= 1;
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
