/**
 * The longest time for which one event-loop iteration may admit requests. Sockets that are not yet
 * read wait that long.
 */
const LOOP_BUDGET_MS = 250;

/**
 * A longer time between two requests counts as this much: the garbage collector or a pause of the
 * machine makes the iteration long, but no queue that rejections would shorten.
 */
const PAUSE_MS = 25;

/** A rejection through node:http takes some 40 µs: at this rate a fifth of a core. */
export const REJECTIONS_PER_MS = 5;

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
export function createLoopBudget(): AdmitRequest {
  let spentMs = 0;
  let lastMs: number | undefined;
  const end = () => {
    lastMs = undefined;
  };

  return (nowMs) => {
    if (lastMs === undefined) {
      spentMs = 0;
      // The check phase comes after this iteration has read all its sockets.
      setImmediate(end);
    } else spentMs += Math.min(nowMs - lastMs, PAUSE_MS);
    lastMs = nowMs;
    return spentMs <= LOOP_BUDGET_MS;
  };
}
