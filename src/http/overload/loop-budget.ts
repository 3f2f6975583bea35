/**
 * The longest time for which one event-loop iteration may admit requests. Sockets that are not yet
 * read wait that long.
 */
const LOOP_BUDGET_MS = 250;

/**
 * An iteration admits this many whatever its duration: if one slow piece of work, the garbage
 * collector or a pause of the machine makes it long, there is no queue that rejections would
 * shorten.
 */
const MIN_REQUESTS = 500;

/** A rejection through node:http takes some 40 µs: at this rate a fifth of a core. */
export const REJECTIONS_PER_MS = 5;

export interface LoopBudgetLimits {
  readonly milliseconds?: number;
  readonly requests?: number;
}

/**
 * Asks to admit a request.
 *
 * @param nowMs on the monotonic clock.
 * @returns whether this event-loop iteration has room for it.
 */
export type AdmitRequest = (nowMs: number) => boolean;

/**
 * Bounds the requests that one event-loop iteration admits. A rejection takes some 20 µs; serving
 * the request may take 300. Nothing is sampled or averaged: the first iteration that is too long
 * rejects, and the next starts anew. See docs/decisions/0011-reject-by-waiting-time.md.
 */
export function createLoopBudget(limits: LoopBudgetLimits = {}): AdmitRequest {
  const { milliseconds = LOOP_BUDGET_MS, requests = MIN_REQUESTS } = limits;
  let count = 0;
  let beganMs = 0;
  const end = () => {
    count = 0;
  };

  return (nowMs) => {
    if (count === 0) {
      beganMs = nowMs;
      // The check phase comes after this iteration has read all its sockets.
      setImmediate(end);
    }
    count += 1;
    return count <= requests || nowMs - beganMs <= milliseconds;
  };
}
