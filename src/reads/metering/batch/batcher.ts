import { createRejectionPacer } from "../../../platform/async/rejection-pacer.ts";
import { StoreUnavailable, storeOverloaded } from "../../../platform/shared/store.ts";
import type { BatchStore, MeterStore, RateRead, RateReadOutcome } from "../store.ts";

/** Bounds how long a batch blocks the event loop: 1,000 reads take about 10 ms. */
const READS_PER_BATCH = 1000;

/** Fewer reads than this are one batch: a commit costs PostgreSQL as much as some ten reads. */
const HALVED_READS_MIN = 16;

/**
 * No read waits longer than this for earlier ones, except the reads of the next batch: a store that
 * is slow but not at capacity works best with full batches.
 */
const WAIT_MS_MAX = 250;

/** A rejection takes some 20 µs, most of them in the kernel: at this rate a fifth of a core. */
const REJECTIONS_PER_MS = 10;

interface Waiting {
  readonly read: RateRead;
  readonly resolve: (outcome: RateReadOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Gathers the reads that arrive in one event-loop iteration into one batch: one transaction and one
 * sync to disk for all of them. One batch is in flight at a time. The queue holds as many reads as
 * the last full batch's throughput can serve in time. Later reads are rejected and not charged.
 */
export function createReadBatcher(batches: BatchStore): MeterStore {
  let waiting: Waiting[] = [];
  let inFlight = false;
  const rejectLater = createRejectionPacer(REJECTIONS_PER_MS);
  /** The queue's limit: none until a full batch has shown the throughput. */
  let waitingMax = Number.POSITIVE_INFINITY;
  /** Whether the engine is asynchronous, so that its work overlaps with writing responses. */
  let isOverlapping = false;
  /** Whether reads were already waiting when the last batch ended. */
  let wasBusy = false;
  /** When the store's work on the current batch began, including gathering its reads. */
  let busySinceMs = 0;

  const flush = async () => {
    const batch = nextBatch(waiting, isOverlapping && !wasBusy);
    waiting = waiting.slice(batch.length);
    let settle: () => void;
    try {
      const result = batches.readBatch(batch.map(({ read }) => read));
      // Only an asynchronous engine returns a promise.
      isOverlapping = !Array.isArray(result);
      const outcomes = Array.isArray(result) ? result : await result;
      settle = () => {
        for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]);
      };
    } catch (error) {
      // Reads that waited behind a batch that the store failed have waited long enough.
      const behind = error instanceof StoreUnavailable ? waiting.splice(0) : [];
      settle = () => {
        for (const { reject } of batch) reject(error);
        for (const { reject } of behind) reject(new StoreUnavailable(error));
      };
    }
    const nowMs = performance.now();
    if (batch.length === READS_PER_BATCH) waitingMax = waitingMaxAt(nowMs - busySinceMs);
    busySinceMs = nowMs;
    wasBusy = waiting.length > 0;
    inFlight = wasBusy;
    if (wasBusy && isOverlapping) {
      // An asynchronous engine works on the next batch while this one's responses are written.
      void flush();
      setImmediate(settle);
      return;
    }
    settle();
    if (wasBusy) start();
  };

  const start = () => {
    inFlight = true;
    // The check phase comes right after this iteration has read all its sockets.
    setImmediate(flush);
  };

  const begin = () => {
    busySinceMs = performance.now();
    start();
  };

  return {
    read: (read) =>
      waiting.length >= waitingMax
        ? new Promise((_resolve, reject) => rejectLater(() => reject(storeOverloaded)))
        : new Promise((resolve, reject) => {
            waiting.push({ read, resolve, reject });
            if (!inFlight) begin();
          }),
  };
}

/** @returns the queue's limit when a full batch takes `batchMs`. */
function waitingMaxAt(batchMs: number): number {
  return Math.max(READS_PER_BATCH, Math.floor((READS_PER_BATCH * WAIT_MS_MAX) / batchMs));
}

/**
 * A batch ends with the day: reads after midnight are charged to another, in the next batch.
 *
 * @param isHalved leaves the second half for the next batch.
 */
function nextBatch(waiting: readonly Waiting[], isHalved: boolean): readonly Waiting[] {
  const day = waiting[0]?.read.day;
  const end = waiting.findIndex(({ read }) => read.day !== day);
  const ofDay = end === -1 ? waiting.length : end;
  const isFew = ofDay < HALVED_READS_MIN || ofDay >= READS_PER_BATCH;
  return waiting.slice(
    0,
    Math.min(isHalved && !isFew ? Math.ceil(ofDay / 2) : ofDay, READS_PER_BATCH),
  );
}

/**
 * Called for each batch of metered reads.
 *
 * @param outcomes undefined when the store failed.
 * @param seconds the time until the batch was on disk or had failed.
 */
export type ObserveBatch = (
  reads: number,
  outcomes: readonly RateReadOutcome[] | undefined,
  seconds: number,
) => void;

/** Reports every batch of the store to an observer, failed ones too. */
export function withObserver(batches: BatchStore, observe: ObserveBatch): BatchStore {
  return {
    readBatch(reads) {
      const begunMs = performance.now();
      const report = (outcomes: readonly RateReadOutcome[] | undefined) =>
        observe(reads.length, outcomes, (performance.now() - begunMs) / 1000);
      const committed = (outcomes: RateReadOutcome[]) => {
        report(outcomes);
        return outcomes;
      };
      const failed = (error: unknown): never => {
        report(undefined);
        throw error;
      };
      try {
        const result = batches.readBatch(reads);
        // Only an asynchronous engine returns a promise.
        if (!Array.isArray(result)) return result.then(committed, failed);
        return committed(result);
      } catch (error) {
        return failed(error);
      }
    },
  };
}
