import { createRejectionPacer } from "../../async/rejection-pacer.ts";
import { StoreUnavailable, storeOverloaded } from "../../shared/store.ts";
import type { BatchStore, MeterStore, RateRead, RateReadOutcome } from "../store.ts";

/** Bounds what one batch holds up: 1,000 reads take about 10 ms of the event loop. */
const READS_PER_BATCH = 1000;

/**
 * Nobody waits longer than this behind others, but for who will be in the very next batch: a store
 * that is slow, and not short of time, does best with full batches.
 */
const WAIT_MS_MAX = 250;

/** A refusal takes some 20 µs, most of them the kernel's: so many take a fifth of a core. */
const REJECTIONS_PER_MS = 10;

interface Waiting {
  readonly read: RateRead;
  readonly resolve: (outcome: RateReadOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Gathers the reads that arrive in one turn of the event loop into one batch: one transaction and
 * one sync to disk for all of them. One batch is in flight at a time. As many may wait as the last
 * full batch's pace gets done in time; who comes after them is refused, and not charged.
 */
export function createReadBatcher(batches: BatchStore): MeterStore {
  let waiting: Waiting[] = [];
  let inFlight = false;
  const refuseLater = createRejectionPacer(REJECTIONS_PER_MS);
  /** Until a full batch has shown the pace there is nothing to judge a queue by. */
  let waitingMax = Number.POSITIVE_INFINITY;
  /** Since when the store has been busy with this batch, and those who asked for it. */
  let busySinceMs = 0;

  const flush = async () => {
    const batch = nextBatch(waiting);
    waiting = waiting.slice(batch.length);
    try {
      const answer = batches.readBatch(batch.map(({ read }) => read));
      // Only where the engine is asynchronous is there something to wait for.
      const outcomes = Array.isArray(answer) ? answer : await answer;
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
      // Who waited behind a batch that the store could not answer has waited as long as one may.
      if (error instanceof StoreUnavailable) {
        for (const { reject } of waiting) reject(error);
        waiting = [];
      }
    }
    inFlight = false;
    const nowMs = performance.now();
    if (batch.length === READS_PER_BATCH) waitingMax = waitingMaxAt(nowMs - busySinceMs);
    busySinceMs = nowMs;
    if (waiting.length > 0) start();
  };

  const start = () => {
    inFlight = true;
    // The check phase comes right after all sockets of this turn were read.
    setImmediate(flush);
  };

  const begin = () => {
    busySinceMs = performance.now();
    start();
  };

  return {
    read: (read) =>
      waiting.length >= waitingMax
        ? new Promise((_resolve, reject) => refuseLater(() => reject(storeOverloaded)))
        : new Promise((resolve, reject) => {
            waiting.push({ read, resolve, reject });
            if (!inFlight) begin();
          }),
  };
}

/** @returns how many may wait when a full batch takes so long. */
function waitingMaxAt(batchMs: number): number {
  return Math.max(READS_PER_BATCH, Math.floor((READS_PER_BATCH * WAIT_MS_MAX) / batchMs));
}

/** A batch ends with the day: what comes after midnight is charged to another, in the next one. */
function nextBatch(waiting: readonly Waiting[]): readonly Waiting[] {
  const day = waiting[0]?.read.day;
  const end = waiting.findIndex(({ read }) => read.day !== day);
  return waiting.slice(0, Math.min(end === -1 ? waiting.length : end, READS_PER_BATCH));
}

/**
 * Is told of each batch of metered reads.
 *
 * @param outcomes undefined when the store failed.
 * @param seconds until it was on disk, or had failed.
 */
export type ObserveBatch = (
  reads: number,
  outcomes: readonly RateReadOutcome[] | undefined,
  seconds: number,
) => void;
