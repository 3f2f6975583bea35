/** Runs a loop in the background; disposing aborts it and waits for its end. */
export function runUntilDisposed(loop: (signal: AbortSignal) => Promise<void>): AsyncDisposable {
  const abort = new AbortController();
  const ended = loop(abort.signal);
  return {
    async [Symbol.asyncDispose]() {
      abort.abort();
      await ended;
    },
  };
}
