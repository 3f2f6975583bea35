import type { ClientError } from "./operations.ts";

/** How long a call may take, and who may end it. */
export interface CallOptions {
  /** Ends the call with `client:aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call with its retries; otherwise those of the client. */
  readonly timeoutMs?: number | undefined;
}

/** The end of a call, by the time or a signal. */
export interface Deadline {
  /** For `fetch`. */
  readonly signal: AbortSignal;
  /** Why the call ended; undefined while it may run. */
  error(): ClientError | undefined;
  leftMs(): number;
  /** Waits for work, but not beyond the end. */
  race<Value>(work: Promise<Value>): Promise<Value | ClientError>;
  /** Waits until a time has passed or the call ended. */
  sleep(waitMs: number): Promise<void>;
  /** Clears the timer and the listeners. */
  release(): void;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** @throws {RangeError} for a time that no timer can wait. */
export function startDeadline(
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
): Deadline {
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS)) {
    throw new RangeError(`timeoutMs must be 1 to ${MAX_TIMER_MS} (got ${timeoutMs})`);
  }
  const started = performance.now();
  const controller = new AbortController();
  const listeners = new AbortController();
  let error: ClientError | undefined;
  let resolve: (error: ClientError) => void;
  const ended = new Promise<ClientError>((resolveEnded) => {
    resolve = resolveEnded;
  });
  const end = (code: ClientError["code"], message: string, cause?: unknown) => {
    error ??= { code, message, cause, retryAfterSeconds: undefined };
    controller.abort(cause);
    resolve(error);
  };
  for (const signal of signals) {
    const abort = () => end("client:aborted", "The program aborted the call.", signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { signal: listeners.signal });
  }
  const timer = setTimeout(
    () => end("client:timeout", `The call took longer than ${timeoutMs} ms.`),
    timeoutMs,
  );
  return {
    signal: controller.signal,
    error: () => error,
    leftMs: () => started + timeoutMs - performance.now(),
    race: (work) => Promise.race([work, ended]),
    async sleep(waitMs) {
      let pause: ReturnType<typeof setTimeout> | undefined;
      const waited = new Promise((resolveWaited) => {
        pause = setTimeout(resolveWaited, waitMs);
      });
      await Promise.race([waited, ended]);
      clearTimeout(pause);
    },
    release() {
      clearTimeout(timer);
      listeners.abort();
    },
  };
}
