/**
 * Resolves waiting promises, a few per event-loop iteration: the parties take turns, and those of
 * one party go in order of arrival. A party that has thousands delays another's first by one.
 *
 * @param perIteration how many.
 */
export function createIterationQueue(perIteration = 1): (party?: string) => Promise<void> {
  const waiting = new Map<string, (() => void)[]>();
  const releaseOne = () => {
    for (const [party, own] of waiting) {
      const resolve = own.shift();
      waiting.delete(party);
      if (own.length > 0) waiting.set(party, own);
      return resolve?.();
    }
  };
  const release = () => {
    for (let released = 0; released < perIteration; released += 1) releaseOne();
    if (waiting.size > 0) setImmediate(release);
  };
  return (party = "") =>
    new Promise((resolve) => {
      if (waiting.size === 0) setImmediate(release);
      waiting.getOrInsertComputed(party, () => []).push(resolve);
    });
}
