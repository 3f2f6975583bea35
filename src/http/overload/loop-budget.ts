/**
 * How long one turn of the event loop may go on taking requests in: who sits in a socket meanwhile
 * waits as long, whatever it asks for.
 */
const LOOP_BUDGET_MS = 250;

/**
 * So many are taken in whatever the time says: a turn that is long because of one slow piece of
 * work, a pause of the collector or of the machine has no queue that a refusal would shorten.
 */
const MIN_REQUESTS = 500;

/** A refusal that came by node:http takes some 40 µs: so many take a fifth of a core. */
export const REJECTIONS_PER_MS = 5;

export interface TurnLimits {
  readonly milliseconds?: number;
  readonly requests?: number;
}

/**
 * Counts a request in.
 *
 * @param nowMs on the monotonic clock.
 * @returns whether this turn of the event loop has room for it.
 */
export type AdmitRequest = (nowMs: number) => boolean;

/**
 * Bounds what one turn of the event loop takes in. Refusing takes some 20 µs; what was
 * asked for may have taken 300. Nothing is sampled and nothing averaged: the first turn that is too
 * long is the one that refuses, and the next begins anew.
 */
export function createLoopBudget(limits: TurnLimits = {}): AdmitRequest {
  const { milliseconds = LOOP_BUDGET_MS, requests = MIN_REQUESTS } = limits;
  let count = 0;
  let beganMs = 0;
  const end = () => {
    count = 0;
  };

  return (nowMs) => {
    if (count === 0) {
      beganMs = nowMs;
      // The check phase comes after all sockets of this turn were read.
      setImmediate(end);
    }
    count += 1;
    return count <= requests || nowMs - beganMs <= milliseconds;
  };
}
