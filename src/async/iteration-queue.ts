/**
 * Resolves waiting promises in order of arrival, a few per event-loop iteration.
 *
 * @param perIteration how many.
 */
export function createIterationQueue(perIteration = 1): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const release = () => {
    for (const resolve of waiting.splice(0, perIteration)) resolve();
    if (waiting.length > 0) setImmediate(release);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(release);
    });
}
