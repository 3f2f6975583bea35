interface Waiting<Given, Result> {
  readonly given: Given;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Gathers the calls of one event-loop iteration and runs them together. One run is in flight at a
 * time; when it fails, the calls that wait behind it fail, too: they have waited long enough.
 *
 * @param run returns the results in the order of the calls.
 * @param callsMax the most calls of one run, which bounds how long it blocks the event loop.
 */
export function createBatcher<Given, Result>(
  run: (all: readonly Given[]) => readonly Result[] | Promise<readonly Result[]>,
  callsMax: number,
): (given: Given) => Promise<Result> {
  let waiting: Waiting<Given, Result>[] = [];
  let inFlight = false;

  const flush = async () => {
    const batch = waiting.splice(0, callsMax);
    try {
      const running = run(batch.map(({ given }) => given));
      const results = running instanceof Promise ? await running : running;
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of [...batch, ...waiting]) reject(error);
      waiting = [];
    }
    inFlight = false;
    if (waiting.length > 0) start();
  };

  const start = () => {
    inFlight = true;
    // The check phase comes right after this iteration has read all its sockets.
    setImmediate(flush);
  };

  return (given) =>
    new Promise((resolve, reject) => {
      waiting.push({ given, resolve, reject });
      if (!inFlight) start();
    });
}
