/** An unused budget accumulates up to this many rejections. */
const REJECTION_BURST = 500;

/** Between two batches of rejections. */
const PAUSE_MS = 5;

/** Sends a rejection after everything that the current event-loop iteration serves. */
export type PaceRejection = (send: () => void) => void;

/**
 * Sends rejections at a limited rate, in order: clients that ignore Retry-After and retry at once
 * return no faster than they are rejected, and the rest of the core serves other requests. Sent at
 * once, each rejection would bring its client back before this event-loop iteration has read all
 * sockets, again and again: the iteration would not end, and no request would be served. Measured
 * that way at 40,000 reads per second over 4,000 connections: 2,184 served. See
 * docs/decisions/0011-reject-by-waiting-time.md.
 */
export function createRejectionPacer(rejectionsPerMs: number): PaceRejection {
  let waiting: (() => void)[] = [];
  let isDue = false;
  let budget = REJECTION_BURST;
  let countedMs = 0;

  const sendDue = () => {
    const nowMs = performance.now();
    budget = Math.min(REJECTION_BURST, budget + (nowMs - countedMs) * rejectionsPerMs);
    countedMs = nowMs;
    const due = waiting.slice(0, Math.floor(budget));
    waiting = waiting.slice(due.length);
    budget -= due.length;
    isDue = waiting.length > 0;
    if (isDue) setTimeout(sendDue, PAUSE_MS);
    for (const send of due) send();
  };

  return (send) => {
    waiting.push(send);
    if (isDue) return;
    isDue = true;
    setImmediate(sendDue);
  };
}
