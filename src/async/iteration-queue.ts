/** Resolves one waiting promise per event-loop iteration, in order of arrival. */
export function createIterationQueue(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const release = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(release);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(release);
    });
}
